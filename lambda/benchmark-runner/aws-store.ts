import { PutObjectCommand, paginateListObjectsV2, type S3Client } from '@aws-sdk/client-s3';
import { runKey, runPrefix } from '../../constructs/private/benchmark-definition';
import type { HostOutcome, RunRecord } from '../shared/benchmark/plan';
import { readJson } from '../shared/json-object';
import type { StorePort } from './ports';
import type { Step } from './steps';

/** The bucket of the results. */
export class S3Store implements StorePort {
  constructor(
    private readonly client: S3Client,
    private readonly bucket: string,
  ) {}

  saveRun(run: RunRecord): Promise<void> {
    return this.put(runKey(run.runId), run);
  }

  run(runId: string): Promise<RunRecord | undefined> {
    return readJson(this.client, this.bucket, runKey(runId));
  }

  saveSteps(runId: string, steps: Step[]): Promise<void> {
    return this.put(`${runPrefix(runId)}/steps.json`, steps);
  }

  steps(runId: string): Promise<Step[] | undefined> {
    return readJson(this.client, this.bucket, `${runPrefix(runId)}/steps.json`);
  }

  saveOutcomes(runId: string, stepId: string, outcomes: HostOutcome[]): Promise<void> {
    return this.put(outcomesKey(runId, stepId), outcomes);
  }

  outcomes(runId: string, stepId: string): Promise<HostOutcome[] | undefined> {
    return readJson(this.client, this.bucket, outcomesKey(runId, stepId));
  }

  async outputs(prefix: string, commandId: string): Promise<Record<string, string>> {
    // <prefix>/<command>/<instance>/awsrunShellScript/<step of the document>/stdout
    const folder = `${prefix}/${commandId}/`;
    const found: Record<string, string> = {};
    const pages = paginateListObjectsV2({ client: this.client }, { Bucket: this.bucket, Prefix: folder });
    for await (const { Contents } of pages) {
      for (const { Key = '' } of Contents ?? []) {
        const [instanceId] = Key.slice(folder.length).split('/');
        if (instanceId && Key.endsWith('/stdout')) found[instanceId] = Key;
      }
    }
    return found;
  }

  private async put(key: string, value: unknown): Promise<void> {
    await this.client.send(
      new PutObjectCommand({
        Bucket: this.bucket,
        Key: key,
        Body: JSON.stringify(value),
        ContentType: 'application/json',
      }),
    );
  }
}

const outcomesKey = (runId: string, stepId: string): string => `${runPrefix(runId)}/outcomes/${stepId}.json`;
