import type { Story, Teller } from './story';

/** The turn to write rows goes to these requests, of which `first` was made before `second`. */
function turns(tier: Teller, requests: readonly string[], by?: 'hand'): void {
  tier.world.stack.requests.push('first', 'second');
  for (const requestId of requests)
    tier.writes('seed', { requestId }, by ?? tier.call('PutItem', {}, 'seed/story/1'));
}

const turnsGoOn: readonly Omit<Story, 'invariant'>[] = [
  {
    title: 'the turn goes back to a request that was made before',
    complaint: 'seed/story/1 took the turn from one whose request was made 1 requests later',
    happens: (tier) => turns(tier, ['second', 'first']),
  },
  { title: 'the turn goes on to the next request', happens: (tier) => turns(tier, ['first', 'second']) },
  { title: 'the turn is taken again', happens: (tier) => turns(tier, ['second', 'second']) },
  { title: 'somebody writes it by hand', happens: (tier) => turns(tier, ['second', 'first'], 'hand') },
];

const REFUSED = 'the table changes from one to another';

/** An update with another map is under way. */
const anotherMap = (tier: Teller): void => void tier.world.stack.useAnotherMap();

const keepsItsMap: readonly Omit<Story, 'invariant'>[] = [
  {
    title: 'a request takes another map',
    complaint: 'request Update seed took another map',
    happens: (tier) => {
      anotherMap(tier);
      tier.told.onAnswer('Update seed', 'SUCCESS', 'seeded');
    },
  },
  {
    title: 'a request refuses another map',
    happens: (tier) => {
      anotherMap(tier);
      tier.told.onAnswer('Update seed', 'FAILED', REFUSED);
    },
  },
  {
    title: 'a request refuses the map of the tier',
    complaint: 'request Update seed, which goes back to the map, failed with: the table changes',
    happens: (tier) => tier.told.onAnswer('Update seed', 'FAILED', REFUSED),
  },
  {
    title: 'a request with the map of the tier fails for another reason',
    happens: (tier) => tier.told.onAnswer('Update seed', 'FAILED', 'oss-01 is served'),
  },
  {
    title: 'a request takes the map of the tier',
    happens: (tier) => tier.told.onAnswer('Update seed', 'SUCCESS', 'seeded'),
  },
];

const DENIED = 'User: seed is not authorized to perform: dynamodb:Query';

const permissionsAwaited: readonly Omit<Story, 'invariant'>[] = [
  {
    title: 'a request fails since its role may not do something',
    complaint: `request Create seed failed with: ${DENIED}`,
    happens: (tier) => tier.told.onAnswer('Create seed', 'FAILED', DENIED),
  },
  {
    title: 'a request fails for another reason',
    happens: (tier) => tier.told.onAnswer('Create seed', 'FAILED', 'the table is not there'),
  },
  {
    title: 'a request says that it was denied something, and is done',
    happens: (tier) => tier.told.onAnswer('Create seed', 'SUCCESS', DENIED),
  },
];

export const DEPLOYMENTS: readonly Story[] = [
  ...turnsGoOn.map((story) => ({ ...story, invariant: 'turns-go-on' })),
  ...keepsItsMap.map((story) => ({ ...story, invariant: 'keeps-its-map' })),
  ...permissionsAwaited.map((story) => ({ ...story, invariant: 'permissions-awaited' })),
];
