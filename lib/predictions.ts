import { CfnOutput, type Stack, Tags } from 'aws-cdk-lib';
import type { ISharedFileSystem, PredictedThroughput, ThroughputPerCore } from '../constructs';
import { instanceTypeFacts } from '../constructs/sizing';
import { typeInTree } from '../constructs/storage-benchmark/types-in-tree';
import { predicted } from '../constructs/throughput/prediction';
import type { MadeFileSystem } from './file-systems/made';
import type { GridStack } from './grid-stack';
import { monthlyCost } from './monthly-cost';
import type { StorageStack } from './storage-stack';

/** What the file system is predicted to deliver, MB/s (10^6 bytes). */
const THROUGHPUT_TAG = 'cdk-sas-grid:predictedMBps';

/** What its stack is predicted to cost a month, USD. */
const COST_TAG = 'cdk-sas-grid:predictedUSD';

// One resource for each file system, of types whose tags change in place and which no permission and no server looks
// at. Not the servers and their templates: another tag there is another version of the template.
const FILE_SYSTEM = ['AWS::FSx::FileSystem', 'AWS::EFS::FileSystem'];
const VOLUME_MAP = ['AWS::DynamoDB::Table'];

/**
 * Says in outputs and tags what the storage and the grid will deliver and cost. Not for products of the Service
 * Catalog: whoever launches one chooses other types and volumes than those that are known here.
 */
export function addPredictions(storage: StorageStack, grid?: GridStack): void {
  const { sharedFileSystem } = storage;
  const delivers = throughputOf(storage.made);
  throughputOutput(storage, delivers.text);
  tag(sharedFileSystem, THROUGHPUT_TAG, delivers.throughputMBps);
  tag(sharedFileSystem, COST_TAG, costOutput(storage));
  if (!grid) return;
  const { predictedSharedThroughput: shared, predictedTemporaryThroughput: temporary } = grid.cluster;
  const { sharedThroughput, temporaryThroughput } = grid.cluster;
  throughputOutput(
    grid,
    `Shared: ${shared.text}${wantedText(sharedThroughput)} Temporary: ` +
      `${temporary.text}${wantedText(temporaryThroughput)}`,
  );
  costOutput(grid);
}

const wantedText = (wish?: ThroughputPerCore): string =>
  wish ? ` Wanted: ${wish.mbpsPerCore} MB/s for each core.` : '';

/** What a file system delivers, however many hosts there are; where hosts have its volumes, to these. */
function throughputOf({ fileSystem, ownHosts }: MadeFileSystem): PredictedThroughput {
  if (!ownHosts) return predicted(fileSystem.storageDescription, { count: 1 });
  const [count, type] = [ownHosts.count, typeInTree(fileSystem)];
  const facts = type === undefined ? undefined : instanceTypeFacts(type);
  return predicted(fileSystem.storageDescription, { count, type, cores: facts && count * facts.cores });
}

function throughputOutput(stack: Stack, text: string): void {
  new CfnOutput(stack, 'PredictedThroughput', {
    value: text,
    description: 'Calculated, not measured: large files read and written at the same time, all day',
  });
}

function costOutput(stack: Stack): number | undefined {
  const monthly = monthlyCost(stack);
  if (!monthly) return undefined;
  new CfnOutput(stack, 'PredictedMonthlyCost', {
    value: monthly.text,
    description: 'Calculated from list prices for what runs all the time',
  });
  return monthly.cost.usd;
}

function tag(fileSystem: ISharedFileSystem, key: string, value: number | undefined): void {
  if (value === undefined) return;
  Tags.of(fileSystem).add(key, String(Math.round(value)), {
    includeResourceTypes: [...FILE_SYSTEM, ...VOLUME_MAP],
  });
}
