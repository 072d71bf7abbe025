import { CfnParameter, type CfnParameterProps, type Stack } from 'aws-cdk-lib';
import type { DeploymentConfig } from '../config-types';
import type { MadeFileSystem } from '../file-systems/made';

/** The groups in which the console shows the parameters, in this order. */
const GROUPS = ['Network', 'Storage', 'Grid', 'Operation', 'Leave as they are'] as const;

/**
 * What an update of a launched product with another value does. Decided for each parameter: a change must never make
 * CloudFormation replace or shrink what holds data.
 * - `refused`: the launch guard fails the update before anything is touched.
 * - `grows`: in place; EC2 and FSx refuse to shrink.
 * - `in-place`: nothing is interrupted.
 * - `next-server`: running servers stay as they are.
 * - `restarts-nodes`: the nodes are stopped and started, one after the other or all at once, and their scratch is empty
 *   then.
 */
export type Change = 'refused' | 'grows' | 'in-place' | 'next-server' | 'restarts-nodes';

const TEXTS: Readonly<Record<Change, string>> = {
  refused: 'Fixed at launch: an update that changes it fails and changes nothing.',
  grows: 'An update can make it larger while it is in use, never smaller.',
  'in-place': 'An update changes it without an interruption.',
  'next-server': 'After an update it counts for servers that are started from then on; running ones stay.',
  'restarts-nodes':
    'An update stops and starts the hosts of the grid, whose scratch space is empty then: end all jobs first.',
};

/** A parameter of a product: what the console asks for, and what becomes of it. */
export interface ProductParameter {
  /** Its name in the template. */
  readonly name: string;
  readonly group: (typeof GROUPS)[number];
  /** What the console calls it. */
  readonly label: string;
  /** Type, default and limits, and what it is. What an update does is added. */
  readonly definition: CfnParameterProps & { readonly description: string };
  readonly change: Change;
  /** The configuration with the parameter in the place of a value. */
  readonly configure?: (config: DeploymentConfig, parameter: CfnParameter) => DeploymentConfig;
  /** Puts it where the constructs have put the default of the configuration, from which they computed the rest. */
  readonly apply?: (product: Stack, parameter: CfnParameter, made: MadeFileSystem) => void;
}

/** A rule of two or more parameters that the catalog checks when a product is launched or updated. */
export interface ProductRule {
  readonly name: string;
  /** The parameter and the value of it that the rule is about. */
  readonly when: { readonly parameter: string; readonly value: string };
  /** What another parameter has to be one of in that case. */
  readonly needs: { readonly parameter: string; readonly oneOf: readonly string[] };
  readonly description: string;
}

/** Makes the parameters of a product, with the text of what an update does. */
export function addParameters(
  product: Stack,
  parameters: readonly ProductParameter[],
): Map<ProductParameter, CfnParameter> {
  return new Map(
    parameters.map((parameter) => {
      const { name, definition, change } = parameter;
      const description = `${definition.description} ${TEXTS[change]}`;
      return [parameter, new CfnParameter(product, name, { ...definition, description })] as const;
    }),
  );
}

/**
 * How the console groups and labels them (AWS::CloudFormation::Interface). Parameters that the CDK makes by itself come
 * last.
 */
export function describeParameters(product: Stack, parameters: readonly ProductParameter[]): void {
  const known = new Map(parameters.map((each) => [each.name, each]));
  const all = product.node.findAll().filter((node) => node instanceof CfnParameter);
  const names = all.map((parameter) => product.resolve(parameter.logicalId) as string);
  const groupOf = (name: string) => known.get(name)?.group ?? 'Leave as they are';
  product.templateOptions.metadata = {
    ...product.templateOptions.metadata,
    'AWS::CloudFormation::Interface': {
      ParameterGroups: GROUPS.map((group) => ({
        Label: { default: group },
        Parameters: names.filter((name) => groupOf(name) === group),
      })).filter(({ Parameters }) => Parameters.length > 0),
      ParameterLabels: Object.fromEntries(
        names.map((name) => [name, { default: known.get(name)?.label ?? 'Image, looked up by AWS' }]),
      ),
    },
  };
}
