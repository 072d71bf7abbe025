import { instanceTypeFacts, typesWithInstanceStore } from '../instance-types';
import type { Prediction } from './configuration';
import { type Cost, costOf } from './cost';
import { mixedMBps, predict } from './predict';
import type { PriceBook } from './price-book';
import type { Need } from './wish';

/** The nodes, and what their own disks give to temporary space. The same with every design. */
export interface GridPlan {
  readonly cores: number;
  /** The nodes for a month; undefined when their type is not given. */
  readonly cost?: Cost;
  /** Undefined: none was asked for. */
  readonly temporary?: TemporaryPlan;
}

/** Temporary space on the disks of each node. */
export interface TemporaryPlan {
  readonly feasible: boolean;
  /** What there is and what is wanted, or why not. */
  readonly text: string;
  readonly prediction?: Prediction;
  readonly perCore?: { readonly readMBps: number; readonly writeMBps: number; readonly mixedMBps: number };
}

/** What the nodes cost, and whether their disks are fast enough. */
export function gridPlan(need: Need, book: PriceBook): GridPlan {
  const { nodes, nodeType, cores } = need;
  return {
    cores,
    cost: nodeType === undefined ? undefined : costOf([book.instances(nodes, nodeType, 'grid nodes')]),
    temporary: need.temporaryMBpsPerCore > 0 ? temporaryPlan(need) : undefined,
  };
}

function temporaryPlan({ nodes, nodeType, cores, readShare, temporaryMBpsPerCore }: Need): TemporaryPlan {
  if (nodeType === undefined) {
    return {
      feasible: false,
      text: 'The type of the nodes is not given, so what their disks deliver is not known.',
    };
  }
  const facts = instanceTypeFacts(nodeType);
  if (facts && !facts.instanceStore) {
    const others = typesWithInstanceStore(nodeType, 3).join(', ');
    return {
      feasible: false,
      text: `${nodeType} has no disks of its own for temporary space; ${others} do.`,
    };
  }
  const devices = [{ count: facts?.instanceStore?.disks ?? 0, type: 'instance-store' }];
  const prediction = predict({ kind: 'xfs', servers: 0, devices }, { hosts: nodes, hostType: nodeType });
  const mixed = mixedMBps(prediction, readShare);
  if (mixed === undefined) return { feasible: false, text: prediction.unknown.join(' '), prediction };
  const perCore = {
    readMBps: prediction.readMBps! / cores,
    writeMBps: prediction.writeMBps! / cores,
    mixedMBps: mixed / cores,
  };
  return {
    feasible: perCore.mixedMBps >= temporaryMBpsPerCore,
    text:
      `The disks of ${nodeType} give at least ${Math.floor(perCore.mixedMBps)} MB/s for each core; ` +
      `${temporaryMBpsPerCore} are wanted.`,
    prediction,
    perCore,
  };
}
