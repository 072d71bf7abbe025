import { REGION_PRICES } from '../../../constructs/sizing/data/prices';
import { AVAILABILITY, DURABILITY, type Wish } from '../../../constructs/sizing/plan';

/** What a visitor fills in, by the names that a link uses. */
export const FIELD_NAMES = [
  'nodes',
  'type',
  'cores',
  'shared',
  'capacity',
  'reads',
  'clients',
  'temporary',
  'durability',
  'availability',
  'region',
  'hours',
] as const;
export type FieldName = (typeof FIELD_NAMES)[number];

/** The texts of all fields; '' where one is left out. */
export type Inputs = { readonly [name in FieldName]: string };

/** A slider beside a field: from one number to another, or along some numbers. */
export type Slider =
  | { readonly min: number; readonly max: number; readonly step: number }
  | { readonly stops: readonly number[] };

interface Common {
  readonly name: FieldName;
  readonly wish: keyof Wish;
  readonly label: string;
  readonly hint: string;
  readonly initial: string;
  /** May be left out. */
  readonly optional?: boolean;
}

export interface NumberField extends Common {
  readonly kind: 'number';
  readonly unit: string;
  /** As the model allows them. */
  readonly min: number;
  readonly max: number;
  readonly step: number | 'any';
  readonly slider?: Slider;
  /** How many of the unit are one in the wish; left out: 1. */
  readonly per?: number;
}

export interface TextField extends Common {
  readonly kind: 'text';
  readonly pattern: RegExp;
  /** What it should look like. */
  readonly example: string;
}

export interface ChoiceField extends Common {
  readonly kind: 'choice';
  readonly choices: readonly (readonly [value: string, text: string])[];
}

export type Field = NumberField | TextField | ChoiceField;

const DURABILITY_TEXTS: { readonly [value in (typeof DURABILITY)[number]]: string } = {
  scratch: 'scratch: may be lost with a server',
  zone: 'zone: survives servers',
  region: 'region: survives an Availability Zone',
};

const AVAILABILITY_TEXTS: { readonly [value in (typeof AVAILABILITY)[number]]: string } = {
  restore: 'restore: empty, filled again',
  replaced: 'replaced: back with its data in minutes',
  standby: 'standby: others serve within a minute',
  'multi-zone': 'multi-zone: so, for a whole zone',
};

export const FIELDS: readonly Field[] = [
  {
    name: 'nodes',
    wish: 'nodes',
    kind: 'number',
    label: 'Nodes',
    unit: 'hosts',
    min: 1,
    max: 10_000,
    step: 1,
    initial: '4',
    slider: { min: 1, max: 32, step: 1 },
    hint: 'Hosts that run SAS jobs.',
  },
  {
    name: 'type',
    wish: 'nodeType',
    kind: 'text',
    label: 'Type of a node',
    initial: 'i4i.8xlarge',
    optional: true,
    pattern: /^[a-z][a-z0-9-]*\.[a-z0-9-]+$/i,
    example: 'i4i.8xlarge',
    hint: 'EC2 instance type; its cores, disks and network count.',
  },
  {
    name: 'cores',
    wish: 'coresPerNode',
    kind: 'number',
    label: 'Cores of a node',
    unit: 'physical cores',
    min: 1,
    max: 1000,
    step: 'any',
    initial: '',
    optional: true,
    hint: 'Left out: those of the type. A vCPU of an Intel type is half a core.',
  },
  {
    name: 'shared',
    wish: 'sharedMBpsPerCore',
    kind: 'number',
    label: 'Shared throughput',
    unit: 'MB/s per core',
    min: 0,
    max: 1_000_000,
    step: 'any',
    initial: '75',
    slider: { min: 0, max: 200, step: 5 },
    hint: 'SAS data that all nodes see. The papers want 50 to 75.',
  },
  {
    name: 'capacity',
    wish: 'capacityTB',
    kind: 'number',
    label: 'Shared capacity',
    unit: 'TB',
    min: 0,
    max: 1_000_000,
    step: 'any',
    initial: '50',
    slider: { stops: [1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700, 1000] },
    hint: '10^12 bytes.',
  },
  {
    name: 'reads',
    wish: 'readShare',
    kind: 'number',
    label: 'Share of reads',
    unit: '% of the bytes',
    min: 0,
    max: 100,
    step: 'any',
    initial: '50',
    slider: { min: 0, max: 100, step: 5 },
    per: 100,
    hint: 'The rest is written.',
  },
  {
    name: 'clients',
    wish: 'clients',
    kind: 'number',
    label: 'Clients',
    unit: 'hosts',
    min: 1,
    max: 100_000,
    step: 1,
    initial: '',
    optional: true,
    hint: 'Hosts that mount the shared space. Left out: the nodes.',
  },
  {
    name: 'temporary',
    wish: 'temporaryMBpsPerCore',
    kind: 'number',
    label: 'Temporary throughput',
    unit: 'MB/s per core',
    min: 0,
    max: 10_000,
    step: 'any',
    initial: '100',
    slider: { min: 0, max: 300, step: 10 },
    hint: 'SASWORK and UTILLOC on the disks of each node. The papers want 100. 0: not looked at.',
  },
  {
    name: 'durability',
    wish: 'durability',
    kind: 'choice',
    label: 'Durability',
    initial: 'zone',
    choices: DURABILITY.map((value) => [value, DURABILITY_TEXTS[value]]),
    hint: 'What the data has to survive.',
  },
  {
    name: 'availability',
    wish: 'availability',
    kind: 'choice',
    label: 'Availability',
    initial: 'replaced',
    choices: AVAILABILITY.map((value) => [value, AVAILABILITY_TEXTS[value]]),
    hint: 'What happens when a server fails.',
  },
  {
    name: 'region',
    wish: 'region',
    kind: 'text',
    label: 'Region',
    initial: REGION_PRICES[0]!.region,
    pattern: /^[a-z]{2}(-[a-z]+)+-\d$/,
    example: 'eu-west-1',
    hint: `Prices are known for ${REGION_PRICES.length} regions.`,
  },
  {
    name: 'hours',
    wish: 'hoursPerMonth',
    kind: 'number',
    label: 'Hours a month',
    unit: 'hours',
    min: 0,
    max: 744,
    step: 'any',
    initial: '730',
    slider: { min: 0, max: 730, step: 10 },
    hint: 'How long instances run: 730 is always. Volumes and file systems are billed whether they do or not.',
  },
];

export const fieldOf = (name: FieldName): Field => FIELDS.find((field) => field.name === name)!;

export const INITIAL: Inputs = Object.fromEntries(
  FIELDS.map(({ name, initial }) => [name, initial]),
) as Inputs;

/** `1 to 10,000 hosts`. */
export function rangeOf({ min, max, unit }: NumberField): string {
  return `${min} to ${max.toLocaleString('en-US')} ${unit}`;
}
