import { DEPLOYMENT_USAGE } from '../deployment/options';
import { PROGRAM } from '../usage';

export const LOGS_USAGE = `Shows what a deployment says, in the order of time.

Usage: ${PROGRAM} logs NAME [HOST|SLOT] [options]

${DEPLOYMENT_USAGE}
  HOST, SLOT          the journal of this host instead: a slot such as oss-01, a name such as node1, or an instance id
  --since TIME        so far back: 90s, 30m, 2h, 7d (default: 1h; with --follow 5m)
  --follow            go on until Ctrl-C; not for a host
  --filter TEXT       only lines with this text
  --all               also what Lambda says of each call, and metrics
  --json              one JSON object a line
  --help              this text

Without a host these are the log groups of all stacks: of functions, probes, passes and workflows. Each line names its
stack and what wrote it. A host is asked by Systems Manager; secrets are taken out on the host. Its answer has 24,000
characters at most: where older lines are cut off, the first line says so.

Examples
  ${PROGRAM} logs mine --since 2h --filter oss-01
  ${PROGRAM} logs mine oss-01

Exit code: 0; 1 when the host did not answer, or a log cannot be read; 2 for a wrong option.`;

export const BUNDLE_USAGE = `Collects what support needs of a deployment into one archive, without secrets.

Usage: ${PROGRAM} bundle NAME [options]

${DEPLOYMENT_USAGE}
  --host HOST         only this host: a slot, a name or an instance id (default: all)
  --since TIME        logs and journals so far back: 12h, 7d (default: 24h)
  --out FILE          the archive (default: NAME-<id>.tar.gz)
  --id ID             get one that was made before, or goes on
  --dry-run           only say what would be collected
  --json              one JSON object for programs, at the end
  --help              this text

A workflow in the account collects it in a bucket: journals, kernel, Lustre's debug buffer, disks, mounts, network and
configuration of hosts; rows, passes, events of stacks, alarms. contents.txt in the archive says what is in it, from
where, and what is missing and why. Ctrl-C stops the waiting, not the work: --id gets it later.

Exit code: 0 when the archive is there, also where a host did not answer; 1 when nothing could be collected; 2 for a
wrong option.`;

const RUN_OPTIONS = `${DEPLOYMENT_USAGE}
  --dry-run           only say what would be done
  --yes               do not ask (a program that starts it cannot answer)
  --follow            only watch the one that runs
  --no-wait           start it, and do not wait for its end
  --json              one JSON object for programs, at the end
  --help              this text`;

const ENDING = `It runs in your account, one at a time: one that runs is watched, and not started twice.
Ctrl-C stops the waiting, not the work; the same command then goes on to watch it.`;

export const BENCH_USAGE = `Runs the benchmark of a deployment, and shows its verdict.

Usage: ${PROGRAM} bench NAME [options]

${RUN_OPTIONS}

${ENDING}

Exit code: 0 when it passed; 1 when it failed, or did not end; 2 for a wrong option, and where the deployment has no
benchmark; 3 when you said no.`;

export const GAMEDAY_USAGE = `Makes a storage server fail on purpose, after approval, and measures the recovery.

Usage: ${PROGRAM} gameday NAME TIER|SLOT [options]

${RUN_OPTIONS}
  TIER, SLOT          whose server fails: a slot such as oss-01; of a tier its first slot
  --failure KIND      Terminate (default), or Hang: the system halts, and status checks have to find out
  --approvers ARNS    who may approve, with commas between; only where the configuration names nobody

Nothing happens until an approver has approved; the command says who that is, and how.

${ENDING}

Exit code: 0 when the slot was served again and the clients got through; 1 when it was refused or failed; 2 for a wrong
option, and where the deployment has no game day; 3 when you said no.`;
