import type { DefinedTest } from '../../constructs/private/benchmark-definition';
import type { Instance } from './ports';
import { SIZES } from './request';

/** Hosts that run a test at the same time, and what is only for them. */
export interface Wave {
  readonly hosts: string[];
  readonly parameters: Record<string, string>;
}

/**
 * Which hosts run a test, one list after the other. A host that runs and does not report takes part all the same: it is missing in the result
 * then. Where hosts need each other, only those that report do.
 */
export function wavesOf(
  test: string,
  machines: readonly Instance[],
  online: ReadonlySet<string>,
  parallel: boolean,
): Wave[] {
  const reporting = machines.filter(({ instanceId }) => online.has(instanceId));
  if (reporting.length === 0) return [];
  const ids = machines.map(({ instanceId }) => instanceId);
  switch (test) {
    case 'iozone':
      // One host drives the others.
      return [{ hosts: [reporting[0]!.instanceId], parameters: { Clients: addressesOf(reporting) } }];
    case 'network':
      if (reporting.length < 2) return [];
      return reporting.map(({ instanceId }) => ({
        hosts: [instanceId],
        parameters: { Peers: addressesOf(reporting.filter((one) => one.instanceId !== instanceId)) },
      }));
    default:
      return parallel ? [{ hosts: ids, parameters: {} }] : ids.map((id) => ({ hosts: [id], parameters: {} }));
  }
}

const addressesOf = (machines: readonly Instance[]): string =>
  machines
    .map(({ privateIp }) => privateIp)
    .filter(Boolean)
    .join(',');

/** The parameters of a test, with the sizes that were chosen by hand where it has them. */
export function parametersOf(
  test: DefinedTest,
  sizes: Readonly<Record<string, number>>,
): Record<string, string> {
  const changes = Object.entries(sizes)
    .map(([name, size]) => [SIZES[name]!.parameter, String(size)] as const)
    .filter(([parameter]) => parameter in test.parameters);
  return { ...test.parameters, ...Object.fromEntries(changes) };
}
