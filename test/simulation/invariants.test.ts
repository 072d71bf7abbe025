import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { namesOf } from '../../proof/kit/invariants/list';
import type { World } from '../../proof/simulation/aws/world';
import { useDefinition } from '../../proof/simulation/definition';
import type { Plan } from '../../proof/simulation/faults/plan';
import type { Context, Invariant } from '../../proof/simulation/invariants/invariant';
import { run } from '../../proof/simulation/run';
import { checkedTier } from './checked-tier';
import { deployment } from './deployment';
import { CLIENTS } from './invariants/clients';
import { DEPLOYMENTS } from './invariants/deployments';
import { DOOMED } from './invariants/doomed';
import { ENDS, type EndStory } from './invariants/ends';
import { FORMATTING } from './invariants/formatting';
import { GIVEN_UP } from './invariants/given-up';
import { LIFECYCLE } from './invariants/lifecycle';
import { OWNERS } from './invariants/owners';
import { REPLACED } from './invariants/prober';
import { REPAIRS } from './invariants/repairs';
import { SLEEP } from './invariants/sleep';
import { type Story, Teller } from './invariants/story';
import { WRITERS } from './invariants/writers';

/** What a file of invariants exports. */
interface Exports {
  readonly [name: string]: (context: Context) => Invariant;
}

const ROOT = resolve(__dirname, '../..');

/** What happens to a tier, and which invariant complains of it, or none. */
const STORIES = [
  ...WRITERS,
  ...DOOMED,
  ...OWNERS,
  ...FORMATTING,
  ...LIFECYCLE,
  ...DEPLOYMENTS,
  ...GIVEN_UP,
  ...REPAIRS,
  ...REPLACED,
  ...CLIENTS,
  ...SLEEP,
];

type Told = Pick<Story, 'invariant' | 'title' | 'complaint'>;

const toldOf = (stories: readonly Told[]): string[] => [
  ...new Set(stories.map(({ invariant }) => invariant)),
];

/** The stories of an invariant, each with what comes of it. */
const about = <S extends Told>(stories: readonly S[], name: string) =>
  stories
    .filter(({ invariant }) => invariant === name)
    .map(
      (story) => [story.complaint === undefined ? 'is content' : 'complains', story.title, story] as const,
    );

const complaintsOf = ({ invariant, complaint }: Told) =>
  complaint === undefined ? [] : [{ invariant, message: expect.stringContaining(complaint) }];

describe.each(toldOf(STORIES))('%s', (name) => {
  test.each(about(STORIES, name))('%s: %s', async (_does, _title, story) => {
    const tier = new Teller(await checkedTier({}, story.options));
    expect(tier.checker.violations).toEqual([]);
    await story.happens(tier);
    const found = tier.checker.violations.map(({ invariant, message }) => ({ invariant, message }));
    expect(found).toEqual(complaintsOf(story));
  });
});

/** What is still to happen in a run. */
let mockEvents: Pick<EndStory, 'onBegin' | 'onServed' | 'onStays'> = {};

// What a plan can make happen is put right in time. Here a run looks at the world, and is told what else has happened
// to it.
jest.mock('../../proof/simulation/served', () => {
  const actual = jest.requireActual<typeof import('../../proof/simulation/served')>(
    '../../proof/simulation/served',
  );
  const happens = (event: keyof typeof mockEvents, world: World): void => {
    const { [event]: what, ...left } = mockEvents;
    mockEvents = left;
    what?.(world);
  };
  return {
    ...actual,
    isAtRest: (world: World) => {
      happens('onBegin', world);
      const isAtRest = actual.isAtRest(world);
      if (isAtRest) happens('onServed', world);
      return isAtRest;
    },
    ownersOf: (world: World) => {
      const owners = actual.ownersOf(world);
      happens('onStays', world);
      return owners;
    },
  };
});

describe.each(toldOf(ENDS))('%s', (name) => {
  beforeAll(() => useDefinition({ 900: deployment() }));

  afterEach(() => {
    mockEvents = {};
  });

  test.each(about(ENDS, name))('%s: %s', async (_does, _title, story) => {
    const plan: Plan = {
      scenario: {
        seed: 1,
        slots: 1,
        volumesPerSlot: 1,
        spareServers: 0,
        pace: 'quick',
        start: 'served',
        recoveryTimeoutSeconds: 900,
        goesOn: true,
      },
      faults: story.faults ?? [],
    };
    mockEvents = story;
    const { violations } = await run(plan);
    const found = violations.map(({ invariant, message }) => ({ invariant, message }));
    expect(found).toEqual(complaintsOf(story));
  });
});

describe('every invariant', () => {
  const folder = join(ROOT, 'proof/simulation/invariants');
  const files = readdirSync(folder).filter(
    (name) => !['checker.ts', 'invariant.ts', 'passing-on.ts'].includes(name),
  );
  const atEachStep = files
    .flatMap((name) => Object.values(jest.requireActual<Exports>(join(folder, name))))
    .map((make) => make({} as Context).name);
  const atTheEnd = readFileSync(join(ROOT, 'proof/simulation/run.ts'), 'utf8').matchAll(
    /violated\(\s*'([\w-]+)'/g,
  );
  const inCode = [...new Set([...atEachStep, ...[...atTheEnd].map((match) => match[1]!)])].sort();

  test('is in the list of what must never happen, and no other is', () => {
    expect([...namesOf('simulation')].sort()).toEqual(inCode);
  });

  test('has a story of which it complains, and one with which it is content', () => {
    const all: readonly Told[] = [...STORIES, ...ENDS];
    expect(toldOf(all.filter(({ complaint }) => complaint !== undefined)).sort()).toEqual(inCode);
    expect(toldOf(all.filter(({ complaint }) => complaint === undefined)).sort()).toEqual(inCode);
  });
});
