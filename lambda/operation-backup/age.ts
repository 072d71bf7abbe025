import { isUsable, momentOf } from '../shared/backup-set';
import type { Ports, SetsPort } from './ports';
import type { Settings } from './settings';

/**
 * Measures how old the newest set is that can be restored. Without any it is as old as the watch: whoever has never
 * made one hears of it, too.
 */
export async function measureAge(
  ports: Pick<Ports, 'catalogue' | 'log' | 'now'> & { readonly snapshots: SetsPort },
  { deployment }: Settings,
): Promise<{ ageSeconds: number }> {
  const { snapshots, catalogue, log, now } = ports;
  const usable = (await snapshots.sets()).filter(isUsable);
  const moment =
    usable.length > 0
      ? Math.max(...usable.map(momentOf))
      : await catalogue.watchedSince(new Date(now()).toISOString());
  const ageSeconds = Math.max(0, Math.round((now() - moment) / 1000));
  log.info('newest set', { moment: new Date(moment).toISOString(), sets: usable.length });
  log.metrics(deployment, { BackupAgeSeconds: ageSeconds });
  return { ageSeconds };
}
