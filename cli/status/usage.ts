import { DEPLOYMENT_USAGE } from '../deployment/options';
import { PROGRAM } from '../usage';

export const STATUS_USAGE = `Shows how a deployment is, on one screen, and what to do next: stacks, alarms,
what is under way; each slot with its server; each host with its mounts and scratch.

Usage: ${PROGRAM} status NAME [options]

${DEPLOYMENT_USAGE}
  --hosts             ask the servers how full they are, by a command of Systems Manager on each (AWS-RunShellScript);
                      without it space and inodes are not known
  --watch             look again every ten seconds: on a terminal the screen is renewed until Ctrl-C; elsewhere it is
                      printed again when something has changed
  --json              for programs; with --watch a line whenever something has changed
  --help              this text

It only reads; --hosts runs df. It also finds a deployment whose first stack is being made, or has failed. What it
cannot find out is a line 'Not known', with the right that is missing, and '-' in a table.

Examples
  ${PROGRAM} status mine
  ${PROGRAM} status mine --hosts --json

Exit code: 0 when all is well, or asleep; 1 when something needs a person or time, or could not be found out: the lines
below the tables say which; 2 for a wrong option, for a name that no deployment has, and where AWS cannot be asked.`;
