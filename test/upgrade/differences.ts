import { fullDiff, ResourceImpact } from '@aws-cdk/cloudformation-diff';
import { isVersioned, RESTARTING, UNCHANGEABLE } from './impacts';
import { withNewParameters } from './new-parameters';

/** A CloudFormation template. */
export interface Template {
  readonly Parameters?: Readonly<Record<string, { readonly Default?: unknown }>>;
  readonly Resources: Readonly<Record<string, { readonly Type: string; readonly DeletionPolicy?: string }>>;
  readonly Outputs?: Readonly<Record<string, { readonly Export?: { readonly Name: unknown } }>>;
}

/** What an update does to something that is deployed, beyond a change in place. */
export const EFFECTS = [
  'replaces',
  'may replace',
  'deletes',
  'lets go of',
  'is refused',
  'restarts',
  'drops the export',
] as const;
export type Effect = (typeof EFFECTS)[number];

/** One such effect. */
export interface Difference {
  readonly effect: Effect;
  /** The logical id; of an export its name. */
  readonly id: string;
  /** The resource's type; of an export '' . */
  readonly type: string;
  /** The properties that have changed; [] when the whole resource goes. */
  readonly properties: readonly string[];
}

const EFFECT_OF: Readonly<Partial<Record<ResourceImpact, Effect>>> = {
  [ResourceImpact.WILL_REPLACE]: 'replaces',
  [ResourceImpact.MAY_REPLACE]: 'may replace',
  [ResourceImpact.WILL_DESTROY]: 'deletes',
  [ResourceImpact.WILL_ORPHAN]: 'lets go of',
};

/**
 * What an update from one template to another does beyond changes in place and additions. Which changes replace a
 * resource is CloudFormation's own data, as `cdk diff` has it.
 */
export function differences(before: Template, after: Template): Difference[] {
  // It fills in defaults, and would change what others compare.
  const { resources } = fullDiff(structuredClone(before), structuredClone(withNewParameters(before, after)));
  const found: Difference[] = [];
  resources.forEachDifference((id, change) => {
    const type = change.oldResourceType ?? '';
    const properties = Object.keys(change.propertyUpdates);
    const replacing = properties.filter(
      (name) => change.propertyUpdates[name]!.changeImpact !== ResourceImpact.WILL_UPDATE,
    );
    const next = after.Resources[id];
    if (next && isVersioned(next) && replacing.every((name) => name === 'Content')) return;
    const effect = effectOf(type, properties, replacing, change.changeImpact);
    if (effect) found.push({ effect, id, type, properties });
  });
  return [...found, ...droppedExports(before, after)];
}

function effectOf(
  type: string,
  properties: readonly string[],
  replacing: readonly string[],
  impact: ResourceImpact,
): Effect | undefined {
  const effect = EFFECT_OF[impact];
  if (effect === undefined)
    return properties.some((name) => UNCHANGEABLE[type]?.includes(name)) ? 'is refused' : undefined;
  // CloudFormation replaces an instance for these only where its root is on instance store, as none of the current
  // types can have it.
  const restarts =
    effect === 'may replace' &&
    type === 'AWS::EC2::Instance' &&
    replacing.every((name) => RESTARTING.includes(name));
  return restarts ? 'restarts' : effect;
}

/** An export that another stack imports cannot go: CloudFormation refuses the update that drops it. */
function droppedExports(before: Template, after: Template): Difference[] {
  const names = ({ Outputs = {} }: Template) =>
    Object.values(Outputs).flatMap(({ Export }) => (Export ? [JSON.stringify(Export.Name)] : []));
  const kept = new Set(names(after));
  return names(before)
    .filter((name) => !kept.has(name))
    .map((id) => ({ effect: 'drops the export', id, type: '', properties: [] }));
}
