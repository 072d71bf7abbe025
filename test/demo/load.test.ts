import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { clientChecks } from '../../proof/demo/load';
import { parseOptions } from '../../proof/demo/options';
import { sharedDirectories } from '../../proof/kit/mounts';
import type { ClientView } from '../../proof/kit/report';
import { clientsSaw, clientsSentence } from '../../proof/kit/report-clients';

const view = (changes: Partial<ClientView> = {}): ClientView => ({
  instance: 'i-1',
  acknowledged: 100,
  lost: 0,
  strange: 0,
  stopped: -0.2,
  wroteAgain: 71.5,
  ...changes,
});

describe('what clients saw', () => {
  test('nothing lost', () => {
    expect(clientChecks([view(), view({ instance: 'i-2' })])).toEqual([
      expect.objectContaining({ id: 'no-write-lost', passed: true, detail: '200 writes by 2 clients' }),
    ]);
  });

  test.each([
    [view({ lost: 3 }), 'i-1: 3 of 100 acknowledged writes are not there'],
    [view({ strange: 1 }), 'i-1: 1 lines are there that it did not write'],
    [view({ acknowledged: 0 }), 'i-1 wrote nothing'],
  ])('%j', (wrong, detail) => {
    expect(clientChecks([wrong])).toEqual([expect.objectContaining({ passed: false, detail })]);
  });

  test('in words, and as bars that begin with the failure', () => {
    const views = [view(), view({ instance: 'i-2', stopped: 1, wroteAgain: 80 })];
    expect(clientsSentence(views)).toContain('200 writes were acknowledged, and all of them are there');
    expect(clientsSentence(views)).toContain('The longest wait for one took 79.0 s, until 80.0 s after the');
    expect(clientsSentence([view({ lost: 2 })])).toContain('and 2 of them are lost');
    expect(clientsSaw(views).text).toContain('i-1: after 0.0 s, for 71.5 s');
  });
});

test('where hosts that run have a file system that they share', () => {
  const state = mkdtempSync(join(tmpdir(), 'mounts-'));
  const host = (name: string, lines: string, alive = true) => {
    mkdirSync(join(state, 'hosts', name, 'proc'), { recursive: true });
    writeFileSync(join(state, 'hosts', name, 'proc', 'mounts'), lines);
    if (alive) writeFileSync(join(state, 'hosts', name, 'alive'), '');
  };
  host('i-client', '/dev/vda / ext4 rw 0 0\n172.16.4.64:/export/sasdata /sasdata nfs4 rw 0 0\n');
  host('i-member', '/dev/mapper/a-b /sasdata gfs2 rw 0 0\n');
  host('i-oss', 'sasdata-OST0000 /mnt/ost0 lustre rw 0 0\n');
  host('i-gone', '172.16.4.64:/export/sasdata /sasdata nfs4 rw 0 0\n', false);
  try {
    expect(sharedDirectories(state)).toEqual({ 'i-client': '/sasdata', 'i-member': '/sasdata' });
  } finally {
    rmSync(state, { recursive: true });
  }
});

describe('what is done to servers', () => {
  const names = (...args: string[]) => parseOptions(args).harms.map(({ name }) => name);

  test('they are terminated, unless something else is asked for', () => {
    expect(names()).toEqual(['termination']);
    expect(names('--harm', 'clock,lost-power')).toEqual(['clock', 'lost-power']);
    expect(names('--harm', 'all').at(-1)).toBe('lost-power');
  });

  test('an unknown harm is told with those that there are', () => {
    expect(() => names('--harm', 'clock,flood')).toThrow(/--harm has 'flood'; allowed: all, full-root-disk/);
  });
});
