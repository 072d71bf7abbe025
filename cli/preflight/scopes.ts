import type { AssemblyStack, Template, TemplateResource } from './assembly';
import { holds, type Place, resolve, type Scope, textOf, UNKNOWN } from './intrinsics';

/** A resource that the deployment makes, in its template. */
export interface Made {
  readonly scope: Scope;
  readonly id: string;
  readonly type: string;
  /** Of the stack that the resource is in; of a nested one the root's. */
  readonly rootStack: string;
  /** A property, resolved. */
  readonly property: (name: string) => unknown;
}

/** All resources of these stacks that are made there, those of nested stacks too. */
export function resourcesOf(stacks: readonly AssemblyStack[], place: Place): Made[] {
  const exported = new Map<string, unknown>();
  const imported = (name: string) => (exported.has(name) ? exported.get(name) : UNKNOWN);
  const roots = stacks.map((stack) => ({
    stack,
    scope: { stack: stack.name, template: stack.template, place, parameters: {}, imported },
  }));
  // In the order in which they are deployed, so that what a stack imports is known.
  for (const { scope } of roots) {
    for (const { Value, Export } of Object.values(scope.template.Outputs ?? {})) {
      const name = Export && textOf(resolve(Export.Name, scope));
      if (name !== undefined) exported.set(name, resolve(Value, scope));
    }
  }
  return roots.flatMap(({ stack, scope }) => inScope(scope, stack.name, stack.nested));
}

function inScope(scope: Scope, rootStack: string, nested: (path: string) => Template): Made[] {
  const found = Object.entries(scope.template.Resources ?? {}).filter(([, { Condition }]) =>
    holds(Condition, scope),
  );
  return found.flatMap(([id, resource]) => {
    const { Type: type, Properties = {} } = resource;
    const own: Made = {
      scope,
      id,
      type,
      rootStack,
      property: (name) => resolve(Properties[name], scope),
    };
    return [own, ...inNested(scope, id, resource, rootStack, nested)];
  });
}

function inNested(
  scope: Scope,
  id: string,
  { Type, Properties, Metadata }: TemplateResource,
  rootStack: string,
  nested: (path: string) => Template,
): Made[] {
  const path = Metadata?.['aws:asset:path'];
  if (Type !== 'AWS::CloudFormation::Stack' || typeof path !== 'string') return [];
  const parameters = resolve(Properties?.Parameters ?? {}, scope) as { [name: string]: unknown };
  return inScope(
    { ...scope, stack: `${scope.stack}/${id}`, template: nested(path), parameters },
    rootStack,
    nested,
  );
}
