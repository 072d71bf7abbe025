import { nearestPublished } from '../../../constructs/sizing/published-results';
import type { PublishedFigure } from '../../shared/benchmark/result';
import type { Measurement } from './measurement';

/** The papers' figure of the configuration that is nearest to a measured one, for the same kind of I/O. */
export function publishedFor(figure: Measurement): PublishedFigure[] {
  const storage = figure.plan.path?.storage;
  if (!storage || figure.hosts.length === 0) return [];
  const phase = figure.phase.replace(/-random-data$/, '');
  return nearestPublished({
    kind: storage.kind,
    servers: storage.servers,
    serverType: storage.serverType,
    deviceType: storage.devices[0]?.type,
    coresOfHost: figure.physicalCores / figure.hosts.length,
    MBps: figure.MBps,
  })
    .filter((one) => one.phase === phase)
    .map(({ paper, configuration, MBps, MBpsPerCore }) => ({ paper, configuration, MBps, MBpsPerCore }));
}
