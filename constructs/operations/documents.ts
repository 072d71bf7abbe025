import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type * as ssm from 'aws-cdk-lib/aws-ssm';
import type { Construct } from 'constructs';
import { COMMAND_OUTPUT_CHARACTERS } from '../facts/services';
import { commandDocument } from '../private/command-document';
import { PACKAGE_ROOT } from '../private/package-root';
import { secretsProgram } from './secrets';

/** What the journal's first line takes, which says that others are left out. */
const FIRST_LINE = 200;

const SINCE = {
  type: 'String',
  description: 'From when on, in seconds since 1970',
  allowedPattern: '^[0-9]{1,12}$',
};

/** The document by which a host sends its part of a bundle to a signed address. */
export function hostPartDocument(scope: Construct): ssm.CfnDocument {
  return commandDocument(scope, 'HostPart', {
    description: 'Support bundle: sends what this host knows, without secrets, to a signed address',
    step: 'send',
    parameters: {
      Address: {
        type: 'String',
        description: 'Where to, in base 64; good for one object and a few minutes',
        allowedPattern: '^[A-Za-z0-9+/=]{1,8192}$',
      },
      Since: SINCE,
    },
    program: program('bundle.sh', "ADDRESS='{{ Address }}' SINCE='{{ Since }}'"),
    timeoutSeconds: '600',
  });
}

/** The document by which a host shows the newest lines of its journal, without secrets. */
export function journalDocument(scope: Construct): ssm.CfnDocument {
  return commandDocument(scope, 'Journal', {
    description: 'Shows the newest lines of the journal of this host, without secrets',
    step: 'journal',
    parameters: { Since: SINCE },
    program: program(
      'journal.sh',
      `SINCE='{{ Since }}' MOST=${COMMAND_OUTPUT_CHARACTERS.value - FIRST_LINE}`,
    ),
    timeoutSeconds: '120',
  });
}

/** A program of `constructs/operations/documents` with its settings. */
function program(name: string, settings: string): string[] {
  const file = join(PACKAGE_ROOT, 'constructs', 'operations', 'documents', name);
  const [interpreter, ...lines] = readFileSync(file, 'utf8').trimEnd().split('\n');
  const secrets = Buffer.from(secretsProgram()).toString('base64');
  return [interpreter!, `export SECRETS=${secrets}`, `export ${settings}`, ...lines];
}
