import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { HandlerPermissions, Launched } from './launch-rights';

const PRODUCT = '.product.template.json';

interface Statement {
  readonly Effect: string;
  readonly Action: string | readonly string[];
}

/** What is read of a resource; which of it is there depends on its type. */
interface Resource {
  readonly Type: string;
  readonly Properties?: {
    readonly Description?: string;
    readonly Roles?: unknown;
    readonly PolicyDocument?: { readonly Statement: readonly Statement[] };
  };
}

interface Template {
  readonly Resources: Readonly<Record<string, Resource>>;
}

const read = (file: string): Template => JSON.parse(readFileSync(file, 'utf8')) as Template;

/** The products of a synthesized catalog, each with what its launch role allows. */
export function launchedOf(catalog: string): Launched[] {
  const resources = Object.values(read(catalog).Resources);
  const products = resources.filter(({ Type }) => Type === 'AWS::ServiceCatalog::CloudFormationProduct');
  const folder = dirname(catalog);
  const files = readdirSync(folder).filter((file) => file.endsWith(PRODUCT));
  if (files.length !== products.length) {
    throw new Error(`${catalog} has ${products.length} products and ${files.length} templates of products`);
  }
  return files.map((file) => ({
    name: basename(file, PRODUCT),
    resources: read(join(folder, file)).Resources,
    allowed: allowedBy(read(catalog), file),
  }));
}

/**
 * The actions that the launch role of a product's template allows: the constraint that names it is a sibling of the
 * template.
 */
function allowedBy({ Resources }: Template, file: string): string[] {
  const id = basename(file, PRODUCT).toLowerCase();
  const roles = Object.entries(Resources).filter(
    ([, { Type, Properties }]) =>
      Type === 'AWS::IAM::Role' &&
      /^Launches (\S+) from Service Catalog$/.test(Properties?.Description ?? ''),
  );
  const [role] = roles.find(([, { Properties }]) => {
    const deployment = String(Properties?.Description).split(' ')[1]!.replaceAll('-', '');
    return id.includes(`${deployment}template`);
  }) ?? [undefined];
  const statements = Object.values(Resources)
    .filter(
      ({ Type, Properties }) =>
        Type.endsWith('Policy') && JSON.stringify(Properties?.Roles ?? []).includes(`"${role}"`),
    )
    .flatMap(({ Properties }) => Properties?.PolicyDocument?.Statement ?? []);
  if (!role || statements.length === 0) throw new Error(`${file} has no launch role with a policy`);
  return statements.filter(({ Effect }) => Effect === 'Allow').flatMap(({ Action }) => Action);
}

/**
 * Reads CloudFormation's resource schemas out of cfn-lint, which carries those of AWS. Listing is nothing that stacks
 * do.
 */
export function cfnLintSchemas(venv: string): HandlerPermissions {
  const [python] = readdirSync(join(venv, 'lib')).filter((name) => name.startsWith('python3'));
  const data = join(venv, 'lib', String(python), 'site-packages', 'cfnlint', 'data', 'schemas');
  const index = join(data, 'providers', 'us-east-1.json');
  if (!existsSync(index))
    throw new Error(`cfn-lint has no resource schemas in ${data}: has its layout changed?`);
  const schemas = JSON.parse(readFileSync(index, 'utf8')) as Record<string, string>;
  return (type) => {
    const name = schemas[type];
    if (!name) return undefined;
    const { handlers } = JSON.parse(readFileSync(join(data, 'resources', `${name}.json`), 'utf8')) as {
      handlers?: Record<string, { permissions?: string[] }>;
    };
    if (!handlers) return undefined;
    const called = ['create', 'read', 'update', 'delete'].flatMap(
      (each) => handlers[each]?.permissions ?? [],
    );
    return [...new Set(called)];
  };
}
