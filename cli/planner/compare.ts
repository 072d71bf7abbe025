import { costOf, mixedMBps, predict } from '../../constructs/sizing/plan';
import type { DeploymentConfig } from '../../lib/config-types';
import { type Deployed, deployedOf, type Prices } from './deployed';
import { FORMAT } from './plan-data';
import { bindingLimit } from './words';

/** What a configuration comes to. */
export interface Assessment extends Omit<Deployed, 'items' | 'nodeItems'> {
  readonly file: string;
  readonly prediction: ReturnType<typeof predict>;
  readonly mixedMBps?: number;
  /** MB/s for each physical core of the nodes. */
  readonly perCoreMBps?: number;
  /** MB/s for each physical core that the configuration wants of shared and of temporary space. */
  readonly wantedPerCore: { readonly sharedMBps?: number; readonly temporaryMBps?: number };
  /** What binds reads and writes in turns. */
  readonly boundBy?: ReturnType<typeof bindingLimit>;
  readonly storageCost: ReturnType<typeof costOf>;
  readonly nodesCost: ReturnType<typeof costOf>;
  /** Storage and nodes. */
  readonly usd?: number;
}

/** Predicts what a configuration delivers and costs. */
export function assessConfiguration(
  file: string,
  config: DeploymentConfig,
  readShare: number,
  prices: Prices,
): Assessment {
  const { items, nodeItems, ...deployed } = deployedOf(config, prices);
  const { nodes, nodeType, cores } = deployed.hosts;
  const hosts = nodes ?? config.nfs?.expectedClients ?? 1;
  const prediction = predict(deployed.storage, { hosts, hostType: nodeType });
  const mixed = mixedMBps(prediction, readShare);
  const [storageCost, nodesCost] = [costOf(items), costOf(nodeItems)];
  return {
    file,
    ...deployed,
    prediction,
    mixedMBps: mixed,
    perCoreMBps: mixed === undefined || cores === undefined ? undefined : mixed / cores,
    wantedPerCore: {
      sharedMBps: config.grid?.sharedMBpsPerCore,
      temporaryMBps: config.grid?.temporaryMBpsPerCore,
    },
    boundBy: bindingLimit(prediction, readShare),
    storageCost,
    nodesCost,
    usd: costOf([...items, ...nodeItems]).usd,
  };
}

/** The figures that are compared, and how much the second configuration has more. */
const FIGURES = {
  readMBps: ({ prediction }: Assessment) => prediction.readMBps,
  writeMBps: ({ prediction }: Assessment) => prediction.writeMBps,
  mixedMBps: (one: Assessment) => one.mixedMBps,
  perCoreMBps: (one: Assessment) => one.perCoreMBps,
  capacityGiB: (one: Assessment) => one.capacityGiB,
  storageUsd: ({ storageCost }: Assessment) => storageCost.usd,
  nodesUsd: ({ nodesCost }: Assessment) => nodesCost.usd,
  usd: (one: Assessment) => one.usd,
} as const;

/** Two configurations for programs. What is not known is not there. */
export function comparisonJson(a: Assessment, b: Assessment, readShare: number): string {
  const differences = Object.fromEntries(
    Object.entries(FIGURES).map(([name, figure]) => {
      const [one, other] = [figure(a), figure(b)];
      return [name, one === undefined || other === undefined ? undefined : other - one];
    }),
  );
  return `${JSON.stringify({ format: FORMAT, readShare, configurations: [a, b], differences }, undefined, 2)}\n`;
}
