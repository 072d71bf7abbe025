import { createHash } from 'node:crypto';
import * as ssm from 'aws-cdk-lib/aws-ssm';
import type { Construct } from 'constructs';
import { documentProgram } from '../private/document-program';

/** What the program itself may take, with all that it waits for, and a little more. */
const TIMEOUT_SECONDS = '45';

/** The document, and which program it has. */
export interface ProbeDocument {
  readonly name: string;
  /** Hash of the program. */
  readonly program: string;
}

/**
 * The document through which servers are asked whether they serve. The program is in the document and not in the host
 * software: user data has no room for it, and a changed one reaches the servers that run.
 */
export function probeDocument(scope: Construct, tier: string): ProbeDocument {
  const { interpreter, program } = documentProgram('probe.sh');
  const hash = createHash('sha256').update(program).digest('hex').slice(0, 16);
  // The program says which one it is: while a deployment goes on, either one may answer either version of the prober.
  const runCommand = [interpreter, `echo program ${hash}`, program];
  const document = new ssm.CfnDocument(scope, 'ProbeDocument', {
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
          inputs: { timeoutSeconds: TIMEOUT_SECONDS, runCommand },
        },
      ],
    },
  });
  return { name: document.ref, program: hash };
}
