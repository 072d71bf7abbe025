import { main } from '../../cli/main';
import { AVAILABILITY, DURABILITY } from '../../constructs/sizing/plan';
import fc from '../helpers/fast-check';

/** A wish that all kinds of designs answer, and its command line. */
export const PLAN = 'plan --nodes 4 --type i4i.8xlarge --shared 75 --temp 100 --capacity 50TB';

/** Runs a command line in this process and returns what it wrote. */
export function run(line: string | readonly string[], screen: { isTTY?: boolean; columns?: number } = {}) {
  const written = { out: '', err: '' };
  const to = (name: 'out' | 'err') => ({
    ...screen,
    write: (text: string) => {
      written[name] += text;
    },
  });
  const args = typeof line === 'string' ? line.split(' ').filter(Boolean) : line;
  // These verbs ask nobody.
  const code = main(args, { out: to('out'), err: to('err'), env: {} });
  return { code, ...written };
}

/** Wishes as one can type them. */
export const anyWish = fc.record(
  {
    nodes: fc.integer({ min: 1, max: 200 }),
    nodeType: fc.constantFrom('i4i.8xlarge', 'r5b.12xlarge', 'm6i.4xlarge', 'i2.8xlarge', 'd2.8xlarge'),
    coresPerNode: fc.integer({ min: 1, max: 96 }),
    temporaryMBpsPerCore: fc.integer({ min: 0, max: 300 }),
    sharedMBpsPerCore: fc.integer({ min: 0, max: 400 }),
    capacityTB: fc.integer({ min: 1, max: 3000 }),
    readShare: fc.integer({ min: 0, max: 100 }).map((part) => part / 100),
    durability: fc.constantFrom(...DURABILITY),
    availability: fc.constantFrom(...AVAILABILITY),
    region: fc.constantFrom('us-east-1', 'eu-west-1', 'ap-northeast-1', 'sa-east-1'),
    hoursPerMonth: fc.integer({ min: 0, max: 744 }),
  },
  { requiredKeys: ['nodes', 'nodeType', 'sharedMBpsPerCore', 'capacityTB'] },
);

const OPTION_OF: { readonly [name: string]: readonly [string, (value: unknown) => string] } = {
  nodes: ['nodes', String],
  nodeType: ['type', String],
  coresPerNode: ['cores', String],
  temporaryMBpsPerCore: ['temp', String],
  sharedMBpsPerCore: ['shared', String],
  capacityTB: ['capacity', (value) => `${value}TB`],
  readShare: ['read-share', String],
  durability: ['durability', String],
  availability: ['availability', String],
  region: ['region', String],
  hoursPerMonth: ['hours', String],
};

/** The command line of a wish. */
export function argsOf(wish: object): string[] {
  return [
    'plan',
    ...Object.entries(wish).flatMap(([name, value]) => {
      const [option, text] = OPTION_OF[name]!;
      return [`--${option}`, text(value)];
    }),
  ];
}
