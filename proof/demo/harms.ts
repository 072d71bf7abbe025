import { RebootInstancesCommand, TerminateInstancesCommand } from '@aws-sdk/client-ec2';
import type { Clients } from '../kit/clients';
import type { FaultDoor } from '../kit/fault-door';
import { DemoError, waitFor } from '../kit/processes';
import { runOnHosts } from './hosts';

/** With what a harm is done. */
export interface HarmMeans {
  readonly clients: Clients;
  readonly door: FaultDoor;
}

/** Something that happens to the server of a slot, and that only a machine with a kernel of its own shows. */
export interface Harm {
  readonly name: string;
  /** In the past: 'had its root disk full'. */
  readonly was: string;
  /** Whether another server has to take over; else the server has to go on, or come back by itself. */
  readonly replaces: boolean;
  /** How long it lasts, in seconds. */
  readonly seconds: number;
  readonly strike: (instance: string, means: HarmMeans) => Promise<unknown>;
  /** What ends it, where it does not end by itself. */
  readonly lift?: (instance: string, means: HarmMeans) => Promise<unknown>;
}

/** A script on the server. */
const script =
  (...lines: string[]) =>
  (instance: string, { clients }: HarmMeans) =>
    runOnHosts(clients.ssm, [instance], lines);

/** A script on the server that is done as soon as it succeeds there: the server may be on its way. */
const scriptInTime =
  (what: string, ...lines: string[]) =>
  (instance: string, { clients }: HarmMeans) =>
    waitFor(
      what,
      async () => {
        try {
          await runOnHosts(clients.ssm, [instance], lines);
          return true;
        } catch (error) {
          if (error instanceof DemoError) return undefined;
          throw error;
        }
      },
      LOOK_EVERY_SECONDS,
    );

const LOOK_EVERY_SECONDS = 5;

/** Longer than any check waits. */
const FOR_GOOD = 3600;

/** Each interface but the first. */
// biome-ignore lint/suspicious/noTemplateCurlyInString: the shell's, not ours
const SLOT_INTERFACES = 'for path in /sys/class/net/eth[1-9]*; do echo "${path##*/}"; done';

/** EC2 ends the server, as Auto Scaling or a person has it do. Any host shows it, and the next. */
export const TERMINATION: Harm = {
  name: 'termination',
  was: 'was told to terminate',
  replaces: true,
  seconds: FOR_GOOD,
  strike: (instance, { clients }) =>
    clients.ec2.send(new TerminateInstancesCommand({ InstanceIds: [instance] })),
};

/** The machine below the server fails. */
const LOST_POWER: Harm = {
  name: 'lost-power',
  was: 'lost its power',
  replaces: true,
  seconds: FOR_GOOD,
  strike: (instance, { door }) => door.ask('lose-power', { instance }),
};

/** The order in which they are done: what has another server take over comes last. */
export const HARMS: readonly Harm[] = [
  {
    name: 'full-root-disk',
    was: 'had its root disk full',
    replaces: false,
    seconds: 30,
    strike: script(
      // Extents need a little room themselves.
      'fallocate -l "$(($(df --output=avail -B1 / | tail -n 1) - 16777216))" /var/fill',
      // The rest, until it is full for root as well.
      '! dd if=/dev/zero of=/var/fill-more bs=64k 2>/dev/null',
      '[ "$(df --output=avail / | tail -n 1)" -eq 0 ]',
    ),
    lift: script('rm /var/fill /var/fill-more'),
  },
  {
    name: 'packet-filter',
    was: 'had a packet filter that lost what clients sent',
    replaces: false,
    seconds: 45,
    strike: script(
      `${SLOT_INTERFACES} | while read -r link; do tc qdisc add dev "$link" clsact; ` +
        'tc filter add dev "$link" ingress protocol ip u32 match ip dport 2049 0xffff action drop; done',
    ),
    lift: script(`${SLOT_INTERFACES} | while read -r link; do tc qdisc del dev "$link" clsact; done`),
  },
  {
    name: 'lost-carrier',
    was: 'was without carrier for ten seconds',
    replaces: false,
    seconds: 10,
    strike: (instance, { door }) => door.ask('lose-carrier', { instance, seconds: 10 }),
  },
  {
    name: 'network-manager',
    was: 'had its network manager restarted',
    replaces: false,
    seconds: 10,
    strike: script('systemctl restart systemd-networkd'),
    lift: script('systemctl stop systemd-networkd.socket systemd-networkd'),
  },
  {
    name: 'slow-volumes',
    was: 'had volumes of 20 operations in a second',
    replaces: false,
    seconds: 60,
    strike: (instance, { door }) => door.ask('slow-disks', { instance, iops: 20, seconds: 60 }),
  },
  {
    name: 'clock',
    was: 'had its clock an hour ahead',
    replaces: false,
    seconds: 30,
    strike: script('date -s "+1 hour"'),
    lift: script('date -s "-1 hour"'),
  },
  {
    name: 'agent',
    was: 'had no agent for a minute and a half',
    replaces: false,
    seconds: 90,
    strike: (instance, { door }) => door.ask('agent-gone', { instance, seconds: 90 }),
  },
  {
    name: 'reboot',
    was: 'was rebooted',
    replaces: false,
    seconds: 0,
    strike: (instance, { clients }) =>
      clients.ec2.send(new RebootInstancesCommand({ InstanceIds: [instance] })),
  },
  {
    name: 'kernel-update',
    was: 'was started again with another kernel',
    replaces: false,
    seconds: 0,
    strike: script(
      'uname -r >/var/lib/sas-grid-demo-kernel',
      'other=$(ls /boot/vmlinuz-* | grep -vFx "/boot/vmlinuz-$(uname -r)")',
      'kexec --load "$other" --initrd="/boot/initrd.img-$(basename "$other" | cut -d - -f 2-)" --reuse-cmdline',
      'systemctl kexec --no-block',
    ),
    lift: scriptInTime('the other kernel', '! grep -qFx "$(uname -r)" /var/lib/sas-grid-demo-kernel'),
  },
  {
    name: 'frozen-kernel',
    was: 'stood still',
    replaces: true,
    seconds: FOR_GOOD,
    strike: (instance, { door }) => door.ask('freeze-host', { instance, seconds: FOR_GOOD }),
  },
  {
    name: 'between-flushes',
    was: 'lost its power after writes that were not flushed',
    replaces: true,
    seconds: FOR_GOOD,
    strike: (instance, { door }) => door.ask('lose-power', { instance, betweenFlushes: 120 }),
  },
  LOST_POWER,
];
