import { parseJsonLines, toApiCall, toTransition } from '../../proof/kit/history';
import { checkHistory, countCalls, forcedDetaches } from '../../proof/kit/history-check';
import { goodHistory, history } from './samples';

const rules = (...lines: Parameters<typeof history>) =>
  checkHistory(history(...lines)).violations.map(({ rule }) => rule);

test('a clean fail-over has no violation, and says how often each thing was attached', () => {
  expect(checkHistory(goodHistory())).toEqual({
    violations: [],
    attachments: { 'vol-a': 2, 'vol-b': 2, 'eni-0': 2 },
  });
});

describe('a history that endangers data is caught', () => {
  test.each(['attaching', 'attached', 'busy', 'detaching'])(
    'a second attachment while the first is %s',
    (state) => {
      expect(
        rules(
          ['volume-attachment', 'vol-1', null, state, 'i-1'],
          ['volume-attachment', 'vol-1', null, 'attaching', 'i-2'],
        ),
      ).toEqual(['attached-twice']);
    },
  );

  test('an interface at two servers', () => {
    expect(
      rules(
        ['interface-attachment', 'eni-1', null, 'attached', 'i-1'],
        ['interface-attachment', 'eni-1', null, 'attaching', 'i-2'],
      ),
    ).toEqual(['attached-twice']);
  });

  test.each(['running', 'shutting-down', 'stopping'])(
    'a volume moved while its last server was %s',
    (state) => {
      expect(
        rules(
          ['volume-attachment', 'vol-1', null, 'attached', 'i-1'],
          ['instance', 'i-1', 'running', state],
          ['volume-attachment', 'vol-1', 'attached', 'detached', 'i-1'],
          ['volume-attachment', 'vol-1', null, 'attaching', 'i-2'],
        ),
      ).toEqual(['moved-too-early']);
    },
  );

  test('an attachment to a terminated server', () => {
    expect(
      rules(
        ['instance', 'i-1', 'running', 'terminated'],
        ['volume-attachment', 'vol-1', null, 'attaching', 'i-1'],
      ),
    ).toEqual(['attached-to-dead']);
  });

  test('two mounts of one volume', () => {
    expect(rules(['mount', 'vol-1', null, 'i-1'], ['mount', 'vol-1', null, 'i-2'])).toEqual([
      'mounted-twice',
    ]);
  });

  test('a second format', () => {
    expect(rules(['format', 'vol-1', null, 'OST0000'], ['format', 'vol-1', null, 'OST0000'])).toEqual([
      'formatted-twice',
    ]);
  });

  test('what the embedded AWS reports itself', () => {
    expect(rules(['violation', 'vol-1', 'mounted', 'detached', 'i-1'])).toEqual(['reported']);
  });
});

describe('what is allowed', () => {
  test.each(['terminated', 'stopped'])('a move after the last server is %s', (state) => {
    expect(
      rules(
        ['volume-attachment', 'vol-1', null, 'attached', 'i-1'],
        ['instance', 'i-1', 'running', state],
        ['volume-attachment', 'vol-1', 'attached', 'detached', 'i-1'],
        ['volume-attachment', 'vol-1', null, 'attaching', 'i-2'],
      ),
    ).toEqual([]);
  });

  test('detaching from a live server and attaching to the same again', () => {
    expect(
      rules(
        ['instance', 'i-1', 'pending', 'running'],
        ['volume-attachment', 'vol-1', null, 'attached', 'i-1'],
        ['volume-attachment', 'vol-1', 'attached', 'detached', 'i-1'],
        ['volume-attachment', 'vol-1', null, 'attaching', 'i-1'],
      ),
    ).toEqual([]);
  });

  test('a mount by the next server after the last one terminated without unmounting', () => {
    expect(
      rules(
        ['mount', 'vol-1', null, 'i-1'],
        ['instance', 'i-1', 'shutting-down', 'terminated'],
        ['mount', 'vol-1', null, 'i-2'],
      ),
    ).toEqual([]);
  });
});

test('lines that crossed on their way into the file are put in order of time', () => {
  const [first, second, third] = history(
    ['volume-attachment', 'vol-1', null, 'attached', 'i-1'],
    ['volume-attachment', 'vol-1', 'attached', 'detached', 'i-1'],
    ['volume-attachment', 'vol-1', null, 'attaching', 'i-1'],
  );
  expect(checkHistory([third!, first!, second!]).violations).toEqual([]);
});

describe('reading the files', () => {
  test('a half-written last line is left out', () => {
    expect(parseJsonLines('{"id":"a"}\n{"id":', 'history.jsonl')).toEqual([{ id: 'a' }]);
  });

  test.each(['nonsense', '3', 'null'])(
    'a broken line in the middle is an error that names it: %s',
    (line) => {
      expect(() => parseJsonLines(`{"id":"a"}\n${line}\n{}\n`, 'history.jsonl')).toThrow(
        'history.jsonl line 2',
      );
    },
  );

  test('times as numbers and as ISO 8601 are the same', () => {
    expect(toTransition({ time: 1767322800.5 }).time).toBe(
      toTransition({ time: '2026-01-02T03:00:00.500Z' }).time,
    );
  });
});

test('only detaches that ask for force are told', () => {
  const call = (action: string, parameters: object) =>
    toApiCall({ time: 1, service: 'ec2', action, parameters });
  const forced = [call('DetachVolume', { Force: 'true' }), call('DetachNetworkInterface', { Force: true })];
  const fine = [
    call('DetachVolume', { Force: 'false' }),
    call('DetachVolume', {}),
    call('Other', { Force: 'true' }),
  ];
  expect(forcedDetaches([...forced, ...fine])).toEqual(forced);
});

test("the recovery's calls are counted without the demo's own and without those outside its time", () => {
  const call = (time: number, action: string, userAgent = 'lambda') => ({
    ...toApiCall({ time, service: 'ec2', action }),
    userAgent,
  });
  const calls = [
    call(1, 'A'),
    call(2, 'B'),
    call(3, 'B'),
    call(3, 'C', 'aws-sdk-js sas-grid-demo'),
    call(9, 'A'),
  ];
  expect(countCalls(calls, 1, 5, 'sas-grid-demo')).toEqual({ 'ec2:B': 2, 'ec2:A': 1 });
});
