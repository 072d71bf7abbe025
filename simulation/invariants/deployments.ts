import type { Context, Invariant } from './invariant';

/** No deployment fails, and none is rolled back, because a role that it has just changed does not count everywhere yet. */
export function permissionsAwaited({ violated }: Context): Invariant {
  const name = 'permissions-awaited';
  return {
    name,
    onAnswer(request, status, reason) {
      if (status === 'FAILED' && reason.includes('not authorized'))
        violated(name, `request ${request} failed with: ${reason}`);
    },
  };
}

/**
 * The request that CloudFormation waits for keeps the turn against those whose functions began before: CloudFormation has given them up. One that began
 * later, since its event had waited in Lambda's queue, cannot be told from the latest.
 */
export function latestRequestGoesOn({ world, violated }: Context): Invariant {
  const name = 'latest-request-goes-on';
  const began = new Map<string, number>();
  let heard: string | undefined;
  return {
    name,
    onAnswer(request, status, reason) {
      heard = status === 'FAILED' && reason.includes(SUPERSEDED) ? request : undefined;
    },
    onCall({ worker, operation, at }) {
      const [functionName, request = ''] = worker.split('/');
      if (functionName !== 'seed') return;
      if (!began.has(request)) began.set(request, at);
      if (operation !== 'PutAnswer' || heard === undefined) return;
      const taker = String(world().map.items.get('seed')?.requestId);
      if ((began.get(taker) ?? at) < began.get(request)!)
        violated(name, `request ${heard} has lost its turn to ${taker}, whose function had begun before`);
      heard = undefined;
    },
  };
}

/** What one says that has lost its turn (lambda/volume-map-resource/ports.ts). */
const SUPERSEDED = 'has taken the rows of the tier over';
