import { createRequire } from 'node:module';

// As the embedded AWS judges them.
const { errorsIn } = createRequire(__filename)(
  '../../proof/localcloud/sas_grid_localcloud/state_machines/validator.cjs',
) as { errorsIn: (definition: unknown) => string[] };

interface SomeTemplate {
  readonly Resources: { readonly [id: string]: { readonly Type: string; readonly Properties?: object } };
}

/** Stands for whatever is known at deployment only. As an ARN it is right wherever a definition names a resource. */
const SOME_ARN = 'arn:aws:lambda:us-east-1:111122223333:function:some';

/** The text of a definition, with something in the place of each reference. */
function textOf(definition: unknown): string {
  if (typeof definition === 'string') return definition;
  const [separator, parts] = (definition as { 'Fn::Join': [string, unknown[]] })['Fn::Join'];
  const pseudo: { [name: string]: string } = { 'AWS::Partition': 'aws', 'AWS::Region': 'us-east-1' };
  return parts
    .map((part) => (typeof part === 'string' ? part : (pseudo[(part as { Ref: string }).Ref] ?? SOME_ARN)))
    .join(separator);
}

/** How many state machines a template has, and what a validator of Amazon States Language says against them. */
export function judgedStateMachines(template: SomeTemplate): { count: number; problems: string[] } {
  const machines = Object.entries(template.Resources).filter(
    ([, { Type }]) => Type === 'AWS::StepFunctions::StateMachine',
  );
  const problems = machines.flatMap(([id, { Properties }]) => {
    const { DefinitionString } = Properties as { DefinitionString: unknown };
    return errorsIn(JSON.parse(textOf(DefinitionString))).map((error) => `${id}: ${error}`);
  });
  return { count: machines.length, problems };
}
