import { createHash } from 'node:crypto';
import type { Construct } from 'constructs';
import { bareHostProgram, commandDocument } from '../private/command-document';

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
  const { interpreter, program } = bareHostProgram('probe.sh');
  const hash = createHash('sha256').update(program).digest('hex').slice(0, 16);
  const document = commandDocument(scope, 'ProbeDocument', {
    description: `Asks a server of tier ${tier} whether it serves`,
    step: 'probe',
    // The program says which one it is: while a deployment goes on, either one may answer either version of the prober.
    program: [interpreter, `echo program ${hash}`, program],
    timeoutSeconds: '45',
  });
  return { name: document.ref, program: hash };
}
