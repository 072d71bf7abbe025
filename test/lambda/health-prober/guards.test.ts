import { deploymentObstacle, obstacleTo } from '../../../lambda/health-prober/guards';
import type { Group, TierState } from '../../../lambda/health-prober/ports';
import { ago, group, NOW, settings, tier, withRows } from './tier';

const candidate = {
  claim: { slot: 'oss-00', owner: 'i-oss-00', epoch: 2 },
  record: { epoch: 2, round: 7, misses: 3, at: ago(0) },
};

const obstacle = (state: TierState = tier(3), change: Partial<Group> = {}) =>
  obstacleTo(candidate, state, group(state, change), NOW, settings(3));

test('a tier at rest has none', () => {
  expect(obstacle()).toBeUndefined();
});

test.each([
  ['a slot has no owner', { 'oss-01': { owner: undefined } }],
  ['a slot is not served yet', { 'oss-01': { servedEpoch: 1 } }],
  ['the tier is being let go', { 'oss-01': { released: true } }],
])('nobody is replaced while %s', (_name, changes) => {
  expect(obstacle(withRows(tier(3), changes))).toContain('slot oss-01 is not served');
});

test('a slot that an undone update had added keeps nobody from being replaced', () => {
  const state = withRows(tier(4), { 'oss-03': { released: true, owner: undefined } });
  expect(obstacle(state)).toBeUndefined();
});

test('nor while the map names one server for two slots: what the others answer says nothing then', () => {
  const [first] = tier(3).rows.slots;
  expect(obstacle(withRows(tier(3), { 'oss-01': { owner: first?.owner } }))).toContain('two slots');
});

test('nor while a row is gone, even if that of a growth that cannot be undone is there', () => {
  const state = tier(4);
  state.rows.slots.splice(1, 1);
  expect(obstacle(state)).toContain('the map lacks rows');
});

test('nor while the map lacks a row, or has one that cannot be read', () => {
  expect(obstacle(tier(2))).toContain('the map lacks rows');
  const { rows } = tier(3);
  expect(obstacle(tier(3, { rows: { ...rows, broken: [{ slot: 'oss-03', problem: 'x' }] } }))).toContain(
    'the map',
  );
});

test.each([
  ['being launched', { lifecycle: 'Pending', healthy: true }],
  ['waiting to serve', { lifecycle: 'Pending:Wait', healthy: true }],
  ['being terminated', { lifecycle: 'Terminating', healthy: true }],
  ['unhealthy already', { lifecycle: 'InService', healthy: false }],
])('nor while another member is %s', (_name, state) => {
  const members = [...group(tier(3)).members, { instanceId: 'i-9', ...state }];
  expect(obstacle(tier(3), { members })).toContain('a replacement is under way');
});

test.each(['Launch', 'Terminate', 'HealthCheck', 'ReplaceUnhealthy'])(
  'nor while the process %s of the group is suspended',
  (name) => {
    expect(obstacle(tier(3), { suspended: ['AZRebalance', name] })).toContain(`process ${name}`);
    expect(obstacle(tier(3), { suspended: ['AZRebalance'] })).toBeUndefined();
  },
);

test('nor soon after another one', () => {
  const marked = (minutes: number) =>
    tier(3, { marks: [{ slot: 'oss-02', owner: 'i-8', at: ago(minutes) }] });
  expect(obstacle(marked(14))).toContain('less than 15 minutes ago');
  expect(obstacle(marked(16))).toBeUndefined();
  expect(obstacle(tier(3, { marks: [{ slot: 'oss-02', owner: 'i-8', at: 'edited' }] }))).toContain('i-8');
});

test('a declaration that did not reach the group is made again', () => {
  expect(obstacle(tier(3, { marks: [{ slot: 'oss-00', owner: 'i-oss-00', at: ago(1) }] }))).toBeUndefined();
});

test('the servers of one slot are replaced three times a day at most', () => {
  const marks = (count: number, minutes: number) =>
    tier(3, {
      marks: Array.from({ length: count }, (_, index) => ({
        slot: 'oss-00',
        owner: `i-8${index}`,
        at: ago(minutes),
      })),
    });
  expect(obstacle(marks(3, 600))).toContain('3 servers of oss-00 were replaced within a day');
  expect(obstacle(marks(2, 600))).toBeUndefined();
  expect(obstacle(marks(3, 1500))).toBeUndefined();
});

test.each(['CREATE_IN_PROGRESS', 'UPDATE_IN_PROGRESS', 'UPDATE_ROLLBACK_IN_PROGRESS', 'DELETE_IN_PROGRESS'])(
  'nobody is replaced while the stack is %s',
  (status) => {
    expect(deploymentObstacle(status, false)).toBe(`the stack is ${status}`);
  },
);

test('nor while an instance refresh is under way', () => {
  expect(deploymentObstacle('UPDATE_COMPLETE', true)).toBe('an instance refresh is under way');
  expect(deploymentObstacle('UPDATE_COMPLETE', false)).toBeUndefined();
});
