import type * as ssm from 'aws-cdk-lib/aws-ssm';
import type { Construct } from 'constructs';
import { bareHostProgram, commandDocument } from '../private/command-document';

const TIMEOUT_SECONDS = '600';

/**
 * The document through which the workflow tells a server what to serve. Every parameter has a pattern that leaves no
 * room for a character with a meaning to the shell, so that nobody who may send the command can run another one. The
 * document's program runs sas-grid-serve, and repairs what that leaves to a person when the workflow has snapshots: the
 * host software in user data has no room for it.
 */
export function serveDocument(scope: Construct, tier: string): ssm.CfnDocument {
  const { interpreter, program } = bareHostProgram('serve.sh');
  const parameter = (description: string, allowedPattern: string, more: object = {}) => ({
    type: 'String',
    description,
    allowedPattern,
    ...more,
  });
  return commandDocument(scope, 'ServeDocument', {
    description: `Tells a server of tier ${tier} which slot to serve`,
    parameters: {
      slot: parameter('Name of the slot', '^[a-z][a-z0-9-]{0,15}-[0-9]{2,4}$'),
      epoch: parameter('Grows with each change of owner', '^[1-9][0-9]{0,14}$'),
      address: parameter('Fixed address of the slot', '^[0-9]{1,3}(\\.[0-9]{1,3}){3}$'),
      volumes: parameter('Volume ids in serving order', '^vol-[0-9a-f]{8,17}(,vol-[0-9a-f]{8,17})*$'),
      mayFormat: parameter('Whether blank volumes may be formatted', '^(true|false)$', { default: 'false' }),
      finding: parameter('Which damage may be repaired', '^([0-9a-f]{16})?$', { default: '' }),
      snapshots: parameter(
        'The snapshots that were completed since it was found, one of each volume',
        '^(snap-[0-9a-f]{8,17}(,snap-[0-9a-f]{8,17})*)?$',
        { default: '' },
      ),
      executionTimeout: parameter('Seconds the program may take', '^[1-9][0-9]{1,3}$', {
        default: TIMEOUT_SECONDS,
      }),
    },
    step: 'serve',
    timeoutSeconds: '{{ executionTimeout }}',
    program: [
      // The program is bash's; a script without this line is run by sh.
      interpreter,
      'set -- --slot "{{ slot }}" --epoch "{{ epoch }}" --address "{{ address }}" --volumes "{{ volumes }}"',
      'if [ "{{ mayFormat }}" = true ]; then set -- "$@" --may-format; fi',
      'FINDING="{{ finding }}" SNAPSHOTS="{{ snapshots }}"',
      program,
    ],
  });
}
