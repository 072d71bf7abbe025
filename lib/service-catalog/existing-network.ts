import type { CfnParameter } from 'aws-cdk-lib';
import type { MakeParameter } from '../template-parameters';
import { addParameters, type Change, type ProductParameter } from './parameter';

// All else decides where the data is, or by which address it is reached.
const CHANGES: Readonly<Record<string, Change>> = {
  PlacementGroupName: 'next-server',
  ClientRange: 'next-server',
};

/** Makes the parameters of a network that exists those of a product, and puts them to the others. */
export function asProductParameters(values: Map<ProductParameter, CfnParameter>): MakeParameter {
  return (product, name, { label, group: _heading, ...definition }) => {
    const change = CHANGES[name] ?? 'refused';
    const parameter: ProductParameter = { name, group: 'Network', label, change, definition };
    const made = addParameters(product, [parameter]).get(parameter)!;
    values.set(parameter, made);
    return made;
  };
}
