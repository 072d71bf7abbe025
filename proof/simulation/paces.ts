import type { Timings } from './aws/timings';

/** Times with which EC2 and the hosts hardly count. */
export const QUICK: Partial<Timings> = {
  boot: [1000, 3000],
  attach: [500, 1000],
  agent: [500, 1000],
  install: [500, 1000],
  format: [500, 1000],
  mount: [100, 500],
  protection: [500, 1000],
  snapshot: [500, 1000],
  groupReaction: [500, 1000],
  shutdown: [2000, 10_000],
  release: [0, 1000],
  healthCheck: [1000, 10_000],
};

/** The first deployment without faults: what is waited for costs passes that find nothing new. */
export const AT_ONCE: Partial<Timings> = {
  ...QUICK,
  call: [5, 20],
  boot: [200, 400],
  attach: [50, 100],
  agent: [50, 100],
  install: [50, 100],
  format: [50, 100],
  mount: [10, 50],
  protection: [10, 50],
  groupReaction: [50, 100],
  delivery: [20, 60],
  invocationVisible: [0, 20],
  event: [20, 100],
};
