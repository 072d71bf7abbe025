import { CfnParameter, type CfnParameterProps, type Stack } from 'aws-cdk-lib';

/** A parameter of a template, and how consoles show it. */
export interface TemplateParameter extends CfnParameterProps {
  readonly description: string;
  /** What it is called in place of its logical id. */
  readonly label: string;
  /** The heading that it stands under. */
  readonly group: string;
}

/** Makes a parameter of a template. */
export type MakeParameter = (stack: Stack, id: string, parameter: TemplateParameter) => CfnParameter;

const INTERFACE = 'AWS::CloudFormation::Interface';

/** How consoles show the parameters of a template. */
interface ParameterInterface {
  readonly ParameterGroups: { readonly Label: { readonly default: string }; readonly Parameters: string[] }[];
  readonly ParameterLabels: Record<string, { readonly default: string }>;
}

/**
 * Adds a parameter, with its label and under its heading. Parameters and headings stand in the order in which they are
 * added.
 *
 * @see
 * https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-cloudformation-interface.html
 */
export function addParameter(
  stack: Stack,
  id: string,
  { label, group, ...props }: TemplateParameter,
): CfnParameter {
  const parameter = new CfnParameter(stack, id, props);
  const shown: ParameterInterface = stack.templateOptions.metadata?.[INTERFACE] ?? {
    ParameterGroups: [],
    ParameterLabels: {},
  };
  const heading = shown.ParameterGroups.find(({ Label }) => Label.default === group);
  if (heading) heading.Parameters.push(id);
  else shown.ParameterGroups.push({ Label: { default: group }, Parameters: [id] });
  shown.ParameterLabels[id] = { default: label };
  stack.addMetadata(INTERFACE, shown);
  return parameter;
}
