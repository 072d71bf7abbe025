import { countCalls, parseJsonLines, toApiCall, toTransition } from '../../proof/kit/history';

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
