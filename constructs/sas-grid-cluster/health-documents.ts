import type { Duration } from 'aws-cdk-lib';
import type * as ssm from 'aws-cdk-lib/aws-ssm';
import type { Construct } from 'constructs';
import { commandDocument, hostProgram } from '../private/command-document';

/** The document by which servers of a grid are asked whether they can do their work. */
export function healthDocument(scope: Construct): ssm.CfnDocument {
  return commandDocument(scope, 'Document', {
    description: `Asks a server of ${scope.node.scope!.node.path} whether it can do its work`,
    step: 'health',
    program: hostProgram('node-health.sh'),
    timeoutSeconds: '45',
  });
}

/**
 * The document by which they remove what sessions that were killed have left on their scratch.
 *
 * @param after what was touched since stays
 */
export function cleanUpDocument(scope: Construct, after: Duration): ssm.CfnDocument {
  const [interpreter, ...program] = hostProgram('clean-scratch.sh');
  return commandDocument(scope, 'CleanUpDocument', {
    description: `Removes what ended SAS sessions left on the scratch of a server of ${scope.node.scope!.node.path}`,
    step: 'cleanUp',
    parameters: {
      DryRun: {
        type: 'String',
        description: 'yes: only says what would be removed',
        allowedValues: ['no', 'yes'],
        default: 'no',
      },
    },
    program: [interpreter!, `export HOURS=${after.toHours()} DRY_RUN={{ DryRun }}`, ...program],
    timeoutSeconds: '3600',
  });
}
