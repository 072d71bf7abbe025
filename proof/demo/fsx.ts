import { OWN_AGENT } from '../kit/agent-name';
import type { LocalCloud } from '../kit/localcloud';
import { DemoError } from '../kit/processes';

/** A file system of FSx as it is described. */
export interface FsxFileSystem {
  readonly FileSystemId: string;
  readonly Lifecycle: string;
  readonly StorageCapacity?: number;
  readonly LustreConfiguration?: { readonly MountName: string };
}

/** The file system; undefined when there is none of this id (any more). */
export async function fileSystem(cloud: LocalCloud, id: string): Promise<FsxFileSystem | undefined> {
  const answer = await call(cloud, 'DescribeFileSystems', { FileSystemIds: [id] });
  if (answer.__type === 'FileSystemNotFound') return undefined;
  return (answer.FileSystems as FsxFileSystem[] | undefined)?.[0];
}

export async function deleteFileSystem(cloud: LocalCloud, id: string): Promise<void> {
  const { __type, message } = await call(cloud, 'DeleteFileSystem', { FileSystemId: id });
  if (__type) throw new DemoError(`${id} is not deleted: ${__type}: ${message}`);
}

/** FSx speaks plain JSON, and the embedded AWS looks at no signature: no SDK is needed for two calls. */
async function call(cloud: LocalCloud, action: string, body: object): Promise<Record<string, unknown>> {
  const region = cloud.environment.AWS_REGION ?? 'us-east-1';
  const answer = await fetch(cloud.endpoint, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-amz-json-1.1',
      'x-amz-target': `AWSSimbaAPIService_v20180301.${action}`,
      authorization: `AWS4-HMAC-SHA256 Credential=test/20260101/${region}/fsx/aws4_request`,
      'user-agent': OWN_AGENT,
    },
    body: JSON.stringify(body),
  });
  return (await answer.json()) as Record<string, unknown>;
}
