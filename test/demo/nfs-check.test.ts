import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { userDataFor } from '../../proof/demo/outside-client';
import type { Transition } from '../../proof/kit/history';
import { type NfsEvidence, nfsChecks, readNfsMounts } from '../../proof/kit/nfs-check';
import { verify } from '../../proof/kit/verify';
import { goodEstate, goodEvidence, history, slot } from './samples';

const SOURCE = '10.0.0.9:/export/sasdata';

const serving = (time: number, to: string | null, scope?: string): Transition => {
  return { time, kind: 'nfs-server', id: '10.0.0.9', from: null, to, scope };
};

const mounting = (id: string, to: string): Transition => {
  return { time: 5, kind: 'nfs-mount', id, from: null, to };
};

/** i-new serves in place of i-old; i-client has the export mounted. */
function good(): NfsEvidence {
  const estate = goodEstate();
  const machine = (id: string) => ({
    id,
    name: id,
    type: 'm6in.large',
    state: 'running',
    privateAddress: '10.0.0.20',
  });
  return {
    estate: {
      ...estate,
      slots: [slot({ tier: 'nfs', slot: 'nfs-00', address: '10.0.0.9' })],
      instances: [...estate.instances, machine('i-client')],
    },
    history: [serving(1, 'i-old', 'slot-1'), mounting(SOURCE, 'i-client'), serving(9, 'i-new', 'slot-1')],
    nfsMounts: { 'i-client': [SOURCE], 'i-new': [] },
    victim: 'i-old',
  };
}

const faults = (change: Partial<NfsEvidence>) =>
  nfsChecks({ ...good(), ...change })
    .filter(({ passed }) => !passed)
    .map(({ id, detail }) => `${id}: ${detail}`);

test('an NFS server that was replaced, with its client, passes', () => {
  expect(nfsChecks(good()).map(({ id, passed }) => [id, passed])).toEqual([
    ['export-served', true],
    ['export-mounted', true],
  ]);
});

test('a deployment without NFS servers is not checked, one with them is', () => {
  expect(nfsChecks(goodEvidence())).toEqual([]);
  expect(verify({ ...goodEvidence(), ...good() }).map(({ id }) => id)).toContain('export-served');
});

describe('each fault is found and named', () => {
  const [first, mount, last] = good().history as [Transition, Transition, Transition];
  test.each<[string, Partial<NfsEvidence>, string]>([
    ['nobody serves', { history: [mount] }, 'export-served: nfs-00: 10.0.0.9 is served by nobody'],
    ['the dead server served last', { history: [first, mount] }, 'is served by i-old, its owner is i-new'],
    ['nfsd was stopped', { history: [first, mount, last, serving(10, null)] }, 'is served by nobody'],
    [
      'another scope',
      { history: [first, mount, serving(9, 'i-new', 'i-new')] },
      'the name of 10.0.0.9 changed: slot-1, i-new',
    ],
    ['no scope', { history: [serving(1, 'i-old'), mount, serving(9, 'i-new')] }, 'was served without a name'],
    ['the old server never served', { history: [mount, last] }, 'i-old never served 10.0.0.9'],
    ['a client never mounted', { history: [first, last] }, 'export-mounted: i-client has never mounted it'],
    [
      'a client mounted something else',
      { history: [first, last, mounting('10.0.0.90:/export/sasdata', 'i-client')] },
      'i-client has never mounted it',
    ],
    ['a client lost its mount', { nfsMounts: { 'i-client': [] } }, 'i-client has it mounted 0 times'],
    ['a client mounted twice', { nfsMounts: { 'i-client': [SOURCE, SOURCE] } }, 'has it mounted 2 times'],
    ['there is no client', { estate: { ...good().estate, instances: [] } }, 'export-mounted: no client runs'],
  ])('%s', (_, change, fault) => {
    expect(faults(change).join('\n')).toContain(fault);
  });
});

test('a machine with other user data, such as a NAT instance, is no client', () => {
  const other = history(['user-data', 'i-client', null, 'not run']);
  expect(faults({ history: [...good().history, ...other] })).toEqual(['export-mounted: no client runs']);
});

test('the mounts of running hosts are read, those of dead ones are not', () => {
  const state = mkdtempSync(join(tmpdir(), 'state-'));
  for (const [host, alive] of [
    ['i-1', true],
    ['i-2', false],
  ] as const) {
    mkdirSync(join(state, 'hosts', host, 'proc'), { recursive: true });
    writeFileSync(
      join(state, 'hosts', host, 'proc', 'mounts'),
      `/dev/a /data xfs rw 0 0\n${SOURCE} /s nfs4 rw 0 0\n`,
    );
    if (alive) writeFileSync(join(state, 'hosts', host, 'alive'), '');
  }
  expect(readNfsMounts(state)).toEqual({ 'i-1': [SOURCE] });
  rmSync(state, { recursive: true });
  expect(readNfsMounts(state)).toEqual({});
});

describe('the user data of a client outside of the app', () => {
  test('mounts the export', () => {
    const text = userDataFor(SOURCE);
    expect(text).toContain('# cdk-sas-grid: host software');
    expect(text).toContain('SERVER=10.0.0.9');
    expect(text).toContain('EXPORT=/export/sasdata');
    expect(text).not.toContain('Token[');
  });

  test('is not made for what is no export', () => {
    expect(() => userDataFor('sasfs')).toThrow("the mount source is 'sasfs', no NFS export");
  });
});
