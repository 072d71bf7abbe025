import { OWN_AGENT } from './agent-name';
import type { LocalCloud } from './localcloud';
import { DemoError } from './processes';

/** Services whose SDK clients the project does not install, by what their targets begin with. */
const TARGETS = {
  servicecatalog: 'AWS242ServiceCatalogService',
  fsx: 'AWSSimbaAPIService_v20180301',
} as const;

export type JsonServiceName = keyof typeof TARGETS;

/** An answer of AWS that refuses. */
export class Refusal extends DemoError {
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(`${code}: ${message}`);
  }
}

/**
 * One call of a JSON service of the embedded AWS, which does not verify signatures.
 *
 * @throws Refusal when it refuses
 */
export async function callJson<T>(
  cloud: LocalCloud,
  service: JsonServiceName,
  action: string,
  request: object,
): Promise<T> {
  const scope = `test/20260101/${cloud.environment.AWS_REGION ?? 'us-east-1'}/${service}/aws4_request`;
  const answer = await fetch(cloud.endpoint, {
    method: 'POST',
    headers: {
      Authorization: `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=host, Signature=none`,
      'Content-Type': 'application/x-amz-json-1.1',
      'User-Agent': OWN_AGENT,
      'X-Amz-Target': `${TARGETS[service]}.${action}`,
    },
    body: JSON.stringify(request),
  });
  const body = (await answer.json()) as Record<string, unknown>;
  if (answer.ok) return body as T;
  const code = String(body.__type ?? body.code ?? answer.status).replace(/^.*#/, '');
  throw new Refusal(code, String(body.message ?? body.Message ?? 'no message'));
}
