import { closeSync, existsSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { SendCommandCommand } from '@aws-sdk/client-ssm';
import type { Clients } from '../kit/clients';
import type { Violation } from '../kit/record/model';

/** Records lie on the first volume of a slot, behind what identifies its file system. */
const AREA_BYTES = 128 * 1024;
const RECORD_BYTES = 128;
const MOST_RECORDS = 7000;
const ACKNOWLEDGED = 'var/log/chaos-acknowledged';

/** One record that a client wrote through the server of a slot. */
export interface DataRecord {
  readonly volume: string;
  /** Its place on the volume, from 0. */
  readonly position: number;
  readonly slot: string;
  readonly epoch: number;
  readonly instance: string;
}

/** What was found on the volumes, beside what clients were told. */
export interface DataFinding {
  readonly acknowledged: number;
  readonly onVolumes: number;
  /** Servers that records were acknowledged by. */
  readonly servers: number;
  readonly violations: readonly Violation[];
}

/**
 * A client of a slot, as a process on its server: it writes record after record for as long as the target is mounted,
 * and notes each as acknowledged once it is on the volume. It ends with its host, in the middle of whatever it does,
 * and with the embedded AWS. The epoch is what the host was told.
 */
const CLIENT = [
  'set -u',
  // biome-ignore-start lint/suspicious/noTemplateCurlyInString: the shell's, not ours
  'root=$SAS_GRID_ROOT',
  'mkdir "$root/run/chaos-client" 2>/dev/null || exit 0',
  'known() { sed -n "s/^$1=//p" "$root/etc/sas-grid/slot.env"; }',
  'slot=$(known SLOT) epoch=$(known EPOCH) volumes=$(known VOLUMES) host=${root##*/}',
  'volume=${volumes%%,*}',
  'device=$root/dev/disk/by-id/nvme-Amazon_Elastic_Block_Store_${volume/-/}',
  `position=$(tail -c +${AREA_BYTES + 1} "$device" | tr -d '\\0' | wc -l)`,
  `while ((position < ${MOST_RECORDS})) && [[ -d /proc/$PPID ]] && grep -q svname= "$root/proc/mounts"; do`,
  `  printf -v record '%-${RECORD_BYTES - 1}s' "$volume $position $slot $epoch $host"`,
  `  { head -c $((${AREA_BYTES} + ${RECORD_BYTES} * position)) >/dev/null && printf '%s\\n' "$record"; } ` +
    '<>"$device" >&0 || exit 1',
  `  sync "$device" && printf '%s\\n' "$record" >>"$root/${ACKNOWLEDGED}"`,
  '  position=$((position + 1))',
  '  sleep 0.4',
  'done',
  // biome-ignore-end lint/suspicious/noTemplateCurlyInString: the shell's, not ours
];

/** Starts a client on a host. One that runs there already goes on. */
export async function startClient(clients: Clients, instance: string): Promise<void> {
  await clients.ssm.send(
    new SendCommandCommand({
      DocumentName: 'AWS-RunShellScript',
      InstanceIds: [instance],
      Parameters: { commands: CLIENT },
    }),
  );
}

/**
 * What all clients of a state folder were told. Read this before the volumes: what is acknowledged meanwhile is on them
 * then.
 */
export function readAcknowledged(state: string): DataRecord[] {
  const hosts = join(state, 'hosts');
  if (!existsSync(hosts)) return [];
  return readdirSync(hosts).flatMap((host) => {
    const file = join(hosts, host, ACKNOWLEDGED);
    return existsSync(file) ? parseRecords(readFileSync(file, 'utf8')) : [];
  });
}

/** What lies on the volumes, by their ids. */
export function readRecords(state: string, volumes: readonly string[]): Record<string, DataRecord[]> {
  return Object.fromEntries(
    volumes.map((volume) => [volume, parseRecords(readArea(join(state, 'volumes', volume, 'disk')))]),
  );
}

function readArea(file: string): string {
  if (!existsSync(file)) return '';
  const descriptor = openSync(file, 'r');
  try {
    const buffer = Buffer.alloc(MOST_RECORDS * RECORD_BYTES);
    const length = readSync(descriptor, buffer, 0, buffer.length, AREA_BYTES);
    return buffer.toString('latin1', 0, length).replaceAll('\0', '');
  } finally {
    closeSync(descriptor);
  }
}

/** Whole lines only: the last one may be being written. */
export function parseRecords(text: string): DataRecord[] {
  const lines = text.split('\n');
  lines.pop();
  return lines.map((line) => {
    const [volume = '', position, slot = '', epoch, instance = ''] = line.trim().split(/\s+/);
    return { volume, position: Number(position), slot, epoch: Number(epoch), instance };
  });
}

/**
 * Whether what was acknowledged is there, where it was written, by whom it was written; and whether the epochs of the
 * writers of a volume only grow: a lower one after a higher one was written by a server that had lost the slot.
 */
export function checkData(
  acknowledged: readonly DataRecord[],
  onVolumes: Readonly<Record<string, readonly DataRecord[]>>,
  time: number,
): DataFinding {
  const violations: Violation[] = [];
  const add = (detail: string) => violations.push({ time, detail });
  const show = ({ slot, epoch, instance }: DataRecord) => `${slot}, epoch ${epoch}, by ${instance}`;
  for (const record of acknowledged) {
    const there = onVolumes[record.volume]?.[record.position];
    const where = `record ${record.position} of ${record.volume}`;
    if (there === undefined) add(`${where} (${show(record)}) was acknowledged and is lost`);
    else if (show(there) !== show(record)) {
      add(`${where} (${show(record)}) was acknowledged and overwritten (${show(there)})`);
    }
  }
  for (const [volume, records] of Object.entries(onVolumes)) {
    records.forEach((record, position) => {
      if (record.volume !== volume || record.position !== position) {
        add(`record ${position} of ${volume} says it is ${record.position} of ${record.volume}`);
      }
      const before = records[position - 1];
      if (before && record.epoch < before.epoch) {
        add(`${volume}: ${show(record)} wrote after ${show(before)}`);
      }
      if (before && record.epoch === before.epoch && record.instance !== before.instance) {
        add(`${volume}: ${show(record)} and ${show(before)} wrote in the same epoch`);
      }
    });
  }
  return {
    acknowledged: acknowledged.length,
    onVolumes: Object.values(onVolumes).reduce((sum, { length }) => sum + length, 0),
    servers: new Set(acknowledged.map(({ instance }) => instance)).size,
    violations,
  };
}
