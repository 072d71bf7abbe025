import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as ssm from 'aws-cdk-lib/aws-ssm';
import type { Construct } from 'constructs';
import { hostFiles } from '../private/package-root';

/** What the program itself may take, with all that it waits for, and a little more. */
const TIMEOUT_SECONDS = '45';

/**
 * The document through which servers are asked whether they serve. The program is in the document and not in the host software: user
 * data has no room for it, and a changed one reaches the servers that run.
 */
export function probeDocument(scope: Construct, tier: string): ssm.CfnDocument {
  const program = readFileSync(join(hostFiles(), 'documents', 'probe.sh'), 'utf8');
  return new ssm.CfnDocument(scope, 'ProbeDocument', {
    documentType: 'Command',
    documentFormat: 'JSON',
    updateMethod: 'NewVersion',
    content: {
      schemaVersion: '2.2',
      description: `Asks a server of tier ${tier} whether it serves`,
      mainSteps: [
        {
          action: 'aws:runShellScript',
          name: 'probe',
          inputs: { timeoutSeconds: TIMEOUT_SECONDS, runCommand: program.trimEnd().split('\n') },
        },
      ],
    },
  });
}
