import { App, DefaultStackSynthesizer, Stack } from 'aws-cdk-lib';
import { InstanceType, MachineImage } from 'aws-cdk-lib/aws-ec2';
import { Construct, DependencyGroup } from 'constructs';
import {
  GridNetwork,
  type IMountTarget,
  type ISharedFileSystem,
  type MountOptions,
  SasGridCluster,
} from '../../../../constructs';

// A grid on a file system of somebody else, in a stack that needs no bootstrapped account. Its client fails at the
// first start of a host, and says by its check whether somebody broke it. What the built-in validation says of it is of
// no interest here, and takes seconds.
const SCRIPT = `set -euo pipefail
root=\${SAS_GRID_ROOT:-}
if [[ ! -e $root/etc/theirs-was-there ]]; then
  touch "$root/etc/theirs-was-there"
  echo 'their server is not there yet' >&2
  exit 1
fi
rpm -q --quiet nvme-cli
mkdir -p "$root$MOUNT_POINT"
# Their kernel module.
echo 'nodev theirs' >>"$root/proc/filesystems"
grep -q " $root$MOUNT_POINT " "$root/proc/mounts" || mount -t theirs "$SOURCE" "$root$MOUNT_POINT"`;

class Theirs extends Construct implements ISharedFileSystem {
  readonly fileSystemType = 'theirs';
  readonly served = new DependencyGroup();

  mountOn({ hostBundle }: IMountTarget, { mountPoint }: MountOptions): void {
    hostBundle.addSoftware({
      name: 'theirs-client',
      packages: ['nvme-cli'],
      settings: { SOURCE: '172.16.4.20:theirs', MOUNT_POINT: mountPoint },
      script: SCRIPT,
      check: `[[ ! -e \${SAS_GRID_ROOT:-}/etc/theirs-is-broken ]] || { echo 'their server does not answer'; exit 1; }`,
    });
  }
}

const app = new App({ builtinCloudFormationValidation: false });
const stack = new Stack(app, 'Foreign', {
  env: { account: '000000000000', region: 'us-east-1' },
  synthesizer: new DefaultStackSynthesizer({
    fileAssetsBucketName: 'assets',
    generateBootstrapVersionRule: false,
  }),
});
new SasGridCluster(stack, 'Grid', {
  network: new GridNetwork(stack, 'Network', { availabilityZone: 'us-east-1a' }),
  sharedFileSystem: new Theirs(stack, 'Theirs'),
  nodeCount: Number(process.env.NODES ?? 1),
  nodeInstanceType: new InstanceType(process.env.NODE_TYPE ?? 'm6i.large'),
  ephemeralScratch: false,
  machineImage: MachineImage.latestAmazonLinux2023(),
});
