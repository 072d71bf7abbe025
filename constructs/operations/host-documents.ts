import type * as ssm from 'aws-cdk-lib/aws-ssm';
import type { Construct } from 'constructs';
import { commandDocument, hostProgram } from '../private/command-document';

/** Asks hosts whether somebody works, and has them unmount. The lab sends it to real ones. */
export function sleepDocument(scope: Construct, deployment: string): ssm.CfnDocument {
  return commandDocument(scope, 'Document', {
    description: `Asks hosts of ${deployment} whether somebody is at work, and has them unmount`,
    step: 'sleep',
    parameters: {
      what: {
        type: 'String',
        description: 'What is asked, or told',
        allowedValues: ['work', 'unmount', 'mounted'],
      },
    },
    program: withSettings(hostProgram('sleep.sh'), 'WHAT={{ what }}'),
    timeoutSeconds: '600',
  });
}

/** Has a host hold what is written, and let go. The lab sends it to real ones. */
export function holdDocument(scope: Construct, deployment: string): ssm.CfnDocument {
  return commandDocument(scope, 'Document', {
    description: `Has a host of ${deployment} hold what is written, for a minute at most, and let go`,
    step: 'hold',
    parameters: {
      what: {
        type: 'String',
        description: 'What the host is told',
        allowedValues: ['hold', 'release', 'sync'],
      },
      token: { type: 'String', description: 'Which hold', allowedPattern: '^[A-Za-z0-9_.:-]{1,100}$' },
      seconds: { type: 'String', description: 'When it ends by itself', allowedPattern: '^[1-9][0-9]?$' },
    },
    program: withSettings(
      hostProgram('hold.sh'),
      'WHAT={{ what }} TOKEN={{ token }} SECONDS_HELD={{ seconds }}',
    ),
    timeoutSeconds: '120',
  });
}

/** What the program reads comes before it, and after the line that names its interpreter. */
const withSettings = ([interpreter, ...lines]: string[], settings: string): string[] => [
  interpreter!,
  settings,
  ...lines,
];
