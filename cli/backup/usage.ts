import { DEPLOYMENT_USAGE } from '../deployment/options';
import { PROGRAM } from '../usage';

export const BACKUP_USAGE = `Makes one set of snapshots of all volumes of a deployment, at one moment. Of FSx for
Lustre, has FSx make a backup.

Usage: ${PROGRAM} backup NAME [options]

${DEPLOYMENT_USAGE}
  --list              only show the sets that are there
  --protect           retention never deletes this one
  --dry-run           only say what would be done
  --yes               do not ask (a program that starts it cannot answer)
  --no-wait           start it, and do not wait for its end
  --json              one JSON object for programs, at the end
  --help              this text

Writes are held meanwhile, for a minute at most: users wait, and lose nothing. FSx holds nobody, and can take hours. It
is refused while a deployment or a repair is under way. A set counts when all was judged at its end; any other is torn,
and never restored.

It runs in your account. Ctrl-C stops the waiting, not the work; the same command then goes on to watch it.

Exit code: 0 when it is done; 1 when it was refused or failed, with the reason; 2 for a wrong option; 3 when you said
no.`;

export const RESTORE_USAGE = `Lays a backup into a new deployment: writes its configuration.

Usage: ${PROGRAM} restore NAME --as NEW [options]

${DEPLOYMENT_USAGE}
  --as NEW            the new deployment: config/NEW.yaml is written, as config/NAME.yaml with the set
  --set SET           the name of a set (default: latest, the newest that can be restored)
  --dry-run           only print the configuration
  --yes               do not ask
  --json              one JSON object for programs, at the end
  --help              this text

NAME may be deployed, or gone: its snapshots and config/NAME.yaml are enough. Nothing in your account changes until you
deploy: make deploy DEPLOYMENT=NEW. That is refused unless the set is complete, and each snapshot is in its place.

Exit code: 0 when it is written; 1 when no set can be restored, with the reason; 2 for a wrong option; 3 when you said
no.`;
