import type { StatusAws } from '../../../cli/status/port';

export const NOW = Date.parse('2026-11-28T12:00:00Z');

/** So many minutes ago, ISO 8601. */
export const ago = (minutes: number): string => new Date(NOW - minutes * 60_000).toISOString();

/** A row of a slot that is served. */
export const row = (slot: string, more: object = {}) => ({
  tier: slot.replace(/-\d+$/, ''),
  item: `slot#${slot}`,
  slot,
  networkInterfaceId: `eni-${slot}`,
  address: '10.0.0.10',
  volumes: [{ volumeId: `vol-${slot}`, device: '/dev/sdf' }],
  owner: `i-${slot}`,
  epoch: 3,
  servedEpoch: 3,
  formatted: true,
  formatOffered: true,
  phase: 'served',
  timeline: { served: ago(120), completed: ago(119) },
  servings: [ago(120)],
  released: false,
  probe: { epoch: 3, round: 9, misses: 0, at: ago(1) },
  ...more,
});

/** A group of a tier. */
export const group = (tier: string, path: string, members: readonly string[], more: object = {}) => ({
  name: `group-${tier}`,
  min: 0,
  desired: members.length,
  members: members.map((instanceId) => ({ instanceId, lifecycle: 'InService', healthy: true })),
  tags: { Name: `mine-storage-${tier}`, 'cdk-sas-grid:tier': `mine-storage/${path}` },
  suspended: [],
  ...more,
});

export const instance = (id: string, more: object = {}) => ({
  id,
  state: 'running',
  type: 'm6in.8xlarge',
  address: '10.0.0.20',
  launched: ago(300),
  ...more,
});

/** What AWS answers where nothing else is said: an account in which nothing is. */
export const statusAccount = (more: Partial<StatusAws> = {}): StatusAws => ({
  slotItems: async () => [],
  lock: async () => undefined,
  groups: async () => [],
  refreshes: async () => [],
  instances: async () => [],
  snapshots: async () => [],
  backups: async () => [],
  alarms: async () => [],
  executions: async () => [],
  health: async () => ({}),
  said: async () => ({}),
  throughput: async () => ({}),
  freeBytes: async () => undefined,
  run: async () => ({}),
  ...more,
});
