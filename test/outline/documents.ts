import { entries, type Section } from './section';
import { type Resource, type Resources, sorted } from './template';
import { block, plain } from './values';

const PROPERTIES: Readonly<Record<string, string>> = {
  'AWS::SSM::Document': 'Content',
  'AWS::StepFunctions::StateMachine': 'DefinitionString',
  'AWS::CloudWatch::Dashboard': 'DashboardBody',
};

/** The property that is a document of its own: of Systems Manager, a state machine, a dashboard. */
export const documentProperty = (type: string): string | undefined => PROPERTIES[type];

/** What each document says. */
export const documents = (resources: Resources): Section['entries'] =>
  entries(sorted(resources).map(([id, resource]) => [id, linesOf(id, resource)]));

function linesOf(id: string, { Type, Properties = {} }: Resource): string[] {
  const property = documentProperty(Type);
  return property && property in Properties ? block(id, plain(Properties[property])) : [];
}
