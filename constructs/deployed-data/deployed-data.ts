import type { IConstruct } from 'constructs';
import { awaitsContext } from '../private/inputs/awaited-context';
import { checkArguments } from '../private/inputs/check';
import {
  checkKeptResources,
  KeptResourceError,
  type KeptResources,
  keptResources,
  recordKeptResources,
} from './kept-resources';

/** Where `DeployedData.protect` has its record. */
export interface ProtectDeployedDataProps {
  /**
   * The file that records what is deployed, such as `deployed.json`, relative to the folder that the app runs in. Keep
   * it under version control, next to the app, one for each deployment of it.
   */
  readonly record: string;
}

/** Data that is deployed, and must not be left behind. */
export class DeployedData {
  /** With this key of the CDK's context, `-c cdk-sas-grid:record=true`, a synthesis writes the record. */
  static readonly RECORD_CONTEXT = 'cdk-sas-grid:record';

  /**
   * Makes synthesis fail when a change would leave deployed data behind, or replace it: volumes, file systems of Amazon
   * FSx and EFS, the addresses of storage servers and their network, and what of a file system must never change
   * (`ISharedFileSystem.neverChanges`). CloudFormation would carry such a change out; `cdk diff` shows it as an update.
   *
   * Call it once, for the app or for a stage. It compares what is synthesized with a record of what is deployed. Write
   * the record after each deployment: `npx cdk synth --quiet -c cdk-sas-grid:record=true`. Without one it refuses
   * nothing.
   *
   * @param scope the app, or a part of it with all stacks of the deployment
   * @param props where the record is
   * @throws nothing here: synthesis fails, and names each resource, what changes and what to do instead
   */
  static protect(scope: IConstruct, props: ProtectDeployedDataProps): void {
    ({ scope, props } = checkArguments('DeployedData.protect', { scope, props }));
    scope.node.addValidation({ validate: () => problemsOf(scope, props.record) });
  }

  private constructor() {}
}

/** At the end of the synthesis: only then all is there. */
function problemsOf(scope: IConstruct, record: string): string[] {
  // What a look-up has not answered yet is not what is deployed.
  if (awaitsContext(scope)) return [];
  let resources: KeptResources;
  try {
    resources = withData(keptResources(scope));
    checkKeptResources(record, resources);
  } catch (error) {
    if (!(error instanceof KeptResourceError)) throw error;
    return [error.message];
  }
  if (String(scope.node.tryGetContext(DeployedData.RECORD_CONTEXT)) === 'true')
    recordKeptResources(record, resources);
  return [];
}

/** Without the stacks that have nothing to be kept: those may go. */
function withData(resources: KeptResources): KeptResources {
  const names = Object.keys(resources);
  const kept = names.filter(
    (name) => name.includes('/') || names.some((other) => other.startsWith(`${name}/`)),
  );
  return Object.fromEntries(kept.map((name) => [name, resources[name]!]));
}
