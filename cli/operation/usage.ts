import { DEPLOYMENT_USAGE } from '../deployment/options';
import { PROGRAM } from '../usage';

const OPTIONS = `${DEPLOYMENT_USAGE}
  --dry-run           only say what would be done
  --yes               do not ask (a program that starts it cannot answer)
  --no-wait           start it, and do not wait for its end
  --force             also while something is under way, or somebody is at work
  --json              one JSON object for programs, at the end
  --help              this text`;

const ENDING = `\
It runs in your account. Ctrl-C stops the waiting, not the work; the same command then goes on to watch it.

Exit code: 0 when it is done; 1 when it was refused or failed, with the reason; 2 for a wrong option; 3 when you said
no.`;

export const STOP_USAGE = `Puts a deployment to sleep: no server runs, and volumes, addresses and data stay.

Usage: ${PROGRAM} stop NAME [options]

${OPTIONS}

Nodes are stopped, then file systems are unmounted, then storage servers are let go. It is refused while a deployment
or a repair is under way, while a node has users at work, and where data would be lost with the servers. What is paid
on: volumes, snapshots, load balancers, NAT gateways, file systems of Amazon FSx and EFS.

${ENDING}`;

export const START_USAGE = `Wakes a deployment that was stopped: the same data at the same addresses.

Usage: ${PROGRAM} start NAME [options]

${OPTIONS}

Storage servers come first, then the nodes that ran when it was stopped. It ends when all have mounted.

${ENDING}`;
