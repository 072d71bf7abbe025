import { CfnOutput, type Stack } from 'aws-cdk-lib';
import type { IVolumeReattachment } from '../constructs';
import { OperationBundle } from '../constructs/operations';

/** Support bundles, and the document that shows a host's journal, in any stack. */
export function addBundle(
  stack: Stack,
  deployment: string,
  tiers: readonly IVolumeReattachment[] = [],
): OperationBundle {
  const bundle = new OperationBundle(stack, 'Bundle', { deploymentName: deployment, tiers: [...tiers] });
  new CfnOutput(stack, 'BundleWorkflow', {
    value: bundle.stateMachine.stateMachineArn,
    description: 'Start an execution of it for a support bundle',
  });
  new CfnOutput(stack, 'BundleBucket', {
    value: bundle.bucket.bucketName,
    description: 'Support bundles: bundles/<execution>/contents.txt',
  });
  new CfnOutput(stack, 'JournalDocument', {
    value: bundle.journalDocumentName,
    description: 'Shows the journal of one host, without secrets',
  });
  return bundle;
}
