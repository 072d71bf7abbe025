import { DemoError } from '../kit/processes';

/** A Lambda function that is a reconciler of a tier. */
export interface Reconciler {
  readonly name: string;
  readonly tier: string;
}

/** The functions of a deployment. */
export interface Functions {
  readonly reconcilers: readonly Reconciler[];
  /** Names of all: the reconcilers, the health probers, those behind custom resources, and what else there is. */
  readonly all: readonly string[];
}

const ROOT = '/2015-03-31/functions';

interface Listed {
  readonly FunctionName: string;
  readonly Environment?: { readonly Variables?: Record<string, string> };
}

/** All functions of the embedded AWS; a reconciler is one that knows a tier and its hook. */
export async function findFunctions(endpoint: string, region: string): Promise<Functions> {
  const { Functions } = (await lambda(endpoint, region, 'GET', `${ROOT}/`)) as { Functions: Listed[] };
  const reconcilers = Functions.flatMap(({ FunctionName, Environment }) => {
    const { TIER, LAUNCH_HOOK } = Environment?.Variables ?? {};
    return TIER && LAUNCH_HOOK ? [{ name: FunctionName, tier: TIER }] : [];
  });
  return { reconcilers, all: Functions.map(({ FunctionName }) => FunctionName) };
}

/** Puts other code in the place of a function's. */
export async function replaceCode(
  endpoint: string,
  region: string,
  name: string,
  zip: Buffer,
): Promise<void> {
  await lambda(endpoint, region, 'PUT', `${ROOT}/${name}/code`, { ZipFile: zip.toString('base64') });
}

/** One call of Lambda's API, for which the project installs no client. The embedded AWS verifies no signatures. */
async function lambda(endpoint: string, region: string, method: string, path: string, request?: object) {
  const answer = await fetch(`${endpoint}${path}`, {
    method,
    headers: {
      Authorization:
        `AWS4-HMAC-SHA256 Credential=test/20260101/${region}/lambda/aws4_request, SignedHeaders=host, ` +
        'Signature=none',
      'Content-Type': 'application/json',
    },
    body: request && JSON.stringify(request),
  });
  if (!answer.ok) throw new DemoError(`Lambda refused ${method} ${path}: ${await answer.text()}`);
  return (await answer.json()) as unknown;
}
