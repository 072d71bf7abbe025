import type { Served } from '../../../proof/simulation/aws/state';
import type { SimulatedHost } from './simulated-host';

/** One situation of a host that is told to serve, on both sides. */
export interface Situation {
  readonly name: string;
  readonly code: number;
  /** Of the real host: the last `serve`, or `tell`, counts. */
  readonly real: string;
  readonly simulated: (host: SimulatedHost) => Promise<Served>;
  /** What both have to say, where it decides what follows. */
  readonly says?: RegExp;
}

const OWN = 'existing tunefs_dryrun_ost.out';
const MINUTE = 60_000;

/** An order that is none, in the same member on both sides. */
const usage = (name: string, real: string, change: object): Situation => ({
  name: `an order with ${name}`,
  code: 64,
  real: `serve ${real}`,
  simulated: (host) => host.tell(change),
});

/** An ext4 with errors, of which e2fsck -p leaves some: files on the list of orphans. */
const DAMAGED = `
${OWN}
stub dumpe2fs 'echo "Filesystem state:         clean with errors"'
stub e2fsck 'case $1 in
  -fn) printf "Pass 1: Checking inodes, blocks, and sizes\\n"
    printf "Inode 12 was part of the orphaned inode list.  Fix? no\\n" ;;
esac
exit 4'
`;

export const SITUATIONS: readonly Situation[] = [
  {
    name: 'a blank volume that may be formatted',
    code: 0,
    real: 'serve --may-format',
    simulated: (host) => host.tell(),
  },
  {
    name: 'its own target, without permission to format',
    code: 0,
    real: `${OWN}; serve`,
    simulated: async (host) => {
      await host.tell();
      return host.tell({ mayFormat: false });
    },
  },
  {
    name: 'an older epoch than it knows',
    code: 3,
    real: 'serve --may-format; serve --epoch 2',
    simulated: async (host) => {
      await host.tell();
      return host.tell({ epoch: 2 });
    },
  },
  {
    name: 'another slot than its own',
    code: 3,
    real: 'serve --may-format; serve --slot oss-01',
    simulated: async (host) => {
      await host.tell();
      return host.tell({ slot: 'oss-01' });
    },
  },
  {
    name: 'a blank volume that must not be formatted',
    code: 4,
    real: 'serve',
    simulated: (host) => host.tell({ mayFormat: false }),
  },
  {
    name: 'a volume that another began to format',
    code: 4,
    real: `ebs vol0a 'no signature, but data'
      stub tunefs.lustre 'echo "checking for existing Lustre data: not found"; exit 19'
      serve --may-format`,
    simulated: (host) => {
      host.volume.content = 'half-formatted';
      return host.tell();
    },
  },
  {
    name: 'a volume with the target of another slot',
    code: 4,
    real: `${OWN}; serve --slot oss-01 --may-format`,
    simulated: (host) => {
      Object.assign(host.volume, { content: 'target', contentOf: 'oss-07' });
      return host.tell();
    },
  },
  usage('a slot that is none', '--slot OSS-00', { slot: 'OSS-00' }),
  usage('a number too short', '--slot oss-0', { slot: 'oss-0' }),
  usage('epoch 0', '--epoch 0', { epoch: 0 }),
  usage('no address', '--address 172.16.4', { address: '172.16.4' }),
  usage('no volume id', '--volumes vol0a', { volumes: ['vol0a'] }),
  usage('more volumes than slots have', '--volumes vol-0a,vol-0b', { volumes: ['vol-0a', 'vol-0b'] }),
  {
    name: 'software that is not there yet',
    code: 75,
    real: 'rm "$ROOT/etc/sas-grid/installed"; serve --may-format',
    simulated: async (host) => {
      host.world.timings.install = [5 * MINUTE, 5 * MINUTE];
      return host.tell({}, await host.launch(MINUTE - 1));
    },
    says: /the software is still being installed$/,
  },
  {
    name: 'a volume that is not there',
    code: 75,
    real: 'rm "$ROOT"/dev/disk/by-id/*; serve --may-format',
    simulated: async (host) => {
      host.world.ec2.detachByHand(host.volume.id);
      await host.pass(MINUTE);
      return host.tell();
    },
  },
  {
    name: 'an interface that is not there',
    code: 75,
    real: 'serve --may-format --address 172.16.4.22',
    simulated: (host) => host.tell({ address: '10.0.9.8' }),
  },
  {
    name: 'answers that would leave by another interface',
    code: 75,
    real: `stub ip '[[ $* != *"route get"* ]] || echo 192.0.2.1 from 172.16.4.21 via 172.16.4.1 dev eth0'
      serve --may-format`,
    simulated: async (host) => {
      await host.tell();
      host.host.way.take('routes', 10 * MINUTE);
      return host.tell();
    },
    says: /answers do not leave by eth1 yet$/,
  },
  {
    name: 'a call while another is at work',
    code: 75,
    real: `mkdir -p "$ROOT/run/sas-grid"
      exec 8>"$ROOT/run/sas-grid/serve.lock"
      flock -n 8
      stub flock 'exec /usr/bin/env -i PATH=/usr/bin:/bin flock -w 0 9'
      serve --may-format`,
    simulated: async (host) => {
      host.world.hosts.hang(host.host.instanceId, MINUTE);
      void host.begin();
      await host.pass(1000);
      return host.tell();
    },
    says: /another call is still at work$/,
  },
  {
    name: 'a target that another host has mounted',
    code: 75,
    real: `${OWN}
      stub mount "cat $RECORDINGS/mount_mmp_refused_ldiskfs.err >&2; exit 16"
      serve`,
    simulated: async (host) => {
      await host.tell();
      const other = await host.launch();
      // As if EC2 had given both to another while the first one goes on: only the mount itself can find out.
      const [card] = host.world.ec2.interfaces.values();
      for (const attachment of [host.volume.attachments[0]!, card!.attachment!])
        Object.assign(attachment, { instanceId: other.instanceId });
      return host.tell({}, other);
    },
    says: /is mounted elsewhere: it has to be unmounted there first$/,
  },
  {
    name: 'a mount that waits for multiple-mount protection',
    code: 75,
    real: `${OWN}
      stub mount 'sleep 2'
      SAS_GRID_SERVE_SECONDS=0 serve`,
    simulated: (host) => {
      Object.assign(host.volume, {
        content: 'target',
        contentOf: 'oss-00',
        mounts: 1,
        slowProtectionMs: 5 * MINUTE,
      });
      return host.tell();
    },
    says: /is still being mounted.*; call again$/,
  },
  {
    name: 'a file system that is repaired for long',
    code: 75,
    real: `${OWN}
      stub dumpe2fs 'echo "Filesystem state:         clean with errors"'
      stub e2fsck 'sleep 4'
      SAS_GRID_SERVE_SECONDS=1 serve`,
    simulated: (host) => {
      Object.assign(host.volume, { content: 'target', contentOf: 'oss-00', repairMs: 5 * MINUTE });
      return host.tell();
    },
    says: /is still being repaired; call again$/,
  },
  {
    name: 'a mount whose volume was taken away and came back',
    code: 1,
    real: `mkdir -p "$ROOT/dev"; truncate -s 1M "$ROOT/dev/nvme3n1"
      printf '%s %s lustre rw 0 0\\n' "$ROOT/dev/nvme2n1" "$ROOT/srv/lustre/sasfs-OST0000" >"$ROOT/proc/mounts"
      ln -sfn "$ROOT/dev/nvme3n1" "$ROOT/dev/disk/by-id/nvme-Amazon_Elastic_Block_Store_vol0a"
      serve`,
    simulated: async (host) => {
      await host.tell();
      host.world.ec2.detachByHand(host.volume.id);
      await host.pass(MINUTE);
      await host.give(host.host);
      return host.tell();
    },
    says: /this server has to be replaced, terminate it$/,
  },
  {
    name: 'a service that does not answer any more',
    code: 1,
    real: `printf 'x %s lustre rw 0 0\\n' "$ROOT/srv/lustre/sasfs-OST0000" >"$ROOT/proc/mounts"
      stub lctl 'case $1 in list_nids) echo 172.16.4.21@tcp ;; get_param) echo NOT HEALTHY ;; esac'
      serve`,
    simulated: async (host) => {
      await host.tell();
      host.host.fallIll('dead');
      return host.tell();
    },
  },
  {
    name: 'damage that may be repaired after a snapshot',
    code: 5,
    real: `${DAMAGED}
      tell`,
    simulated: (host) => {
      Object.assign(host.volume, { content: 'target', contentOf: 'oss-00', orphansMs: 1000 });
      return host.tell();
    },
    says: /it may be repaired once a snapshot .*is completed; finding [0-9a-f]{16}$/,
  },
];

/** What only a real host can come to: the simulated one has its software, and nothing else breaks it. */
export const REAL_ALONE: readonly Omit<Situation, 'simulated'>[] = [
  {
    name: 'an agent that is there before its software',
    code: 75,
    real: 'rm "$ROOT/opt/cdk-sas-grid"; tell',
    says: /the software is still being installed$/,
  },
  {
    name: 'a program that a power failure left empty',
    code: 1,
    real: `rm "$ROOT/opt/cdk-sas-grid"; mkdir -p "$ROOT/opt/cdk-sas-grid/bin"
      touch "$ROOT/opt/cdk-sas-grid/bin/sas-grid-serve"; tell`,
  },
  {
    name: 'software that could not be installed',
    code: 1,
    real: 'echo "no package" >"$ROOT/etc/sas-grid/install-failed"; tell',
  },
  {
    name: 'a tool that fails with a code of ours',
    code: 1,
    real: `stub modprobe 'exit 75'; tell --may-format`,
  },
  { name: 'a refusal, by way of the document', code: 4, real: 'tell' },
];
