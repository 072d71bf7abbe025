import { EXIT, Exit, type ServeOrder } from './program';

/** check_usage of sas-grid-serve: it is told nothing else, and refuses it before it looks at anything. */
const PATTERNS: readonly (readonly [keyof ServeOrder, RegExp])[] = [
  ['slot', /^[a-z][a-z0-9-]{0,15}-[0-9]{2,}$/],
  ['epoch', /^[1-9][0-9]{0,17}$/],
  ['address', /^[0-9]{1,3}(\.[0-9]{1,3}){3}$/],
  ['volumes', /^vol-[0-9a-f]+(,vol-[0-9a-f]+)*$/],
];

/** @throws Exit for an order that is none */
export function requireUsage(order: ServeOrder): void {
  for (const [name, pattern] of PATTERNS)
    if (!pattern.test(String(order[name])))
      throw new Exit(EXIT.USAGE, `--${name} is '${order[name]}'; see --help`);
}

/** @throws Exit for another number of volumes than the slots of the tier have, since targets would get wrong indexes */
export function requireVolumes({ volumes }: ServeOrder, perSlot: number): void {
  if (volumes.length !== perSlot)
    throw new Exit(EXIT.USAGE, `${volumes.length} volumes for a slot of ${perSlot}`);
}
