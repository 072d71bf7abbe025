import type { IConstruct } from 'constructs';
import { invalid, isConcrete } from '../private/validation';

/** Rejects a list that names something for two slots. */
export function refuseTwice(scope: IConstruct, what: string, values: string[], allowed: string): void {
  const concrete = values.filter(isConcrete);
  const twice = concrete.find((value, position) => concrete.indexOf(value) !== position);
  if (twice !== undefined)
    throw invalid(scope, what, twice, allowed, 'It is named twice; every slot needs its own.');
}
