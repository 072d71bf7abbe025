import { DECISION_MUTATIONS } from './decision-mutations';
import { MAP_MUTATIONS } from './map-mutations';
import type { Mutation } from './mutation';
import { PROBE_MUTATIONS } from './probe-mutations';

/** The simulation has to catch each of these; one that it does not catch means that it is too kind. */
export const MUTATIONS: readonly Mutation[] = [...DECISION_MUTATIONS, ...MAP_MUTATIONS, ...PROBE_MUTATIONS];

/** The mutation of a name; an error names all there are. */
export function mutationOf(name: string): Mutation {
  const mutation = MUTATIONS.find((each) => each.name === name);
  if (mutation) return mutation;
  throw new Error(`unknown mutation ${name}; there are ${MUTATIONS.map((each) => each.name).join(', ')}`);
}
