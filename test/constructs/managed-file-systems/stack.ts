import { type App, Size, type Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { SecurityGroup } from 'aws-cdk-lib/aws-ec2';
import { Construct } from 'constructs';
import {
  EfsSharedFileSystem,
  type EfsSharedFileSystemProps,
  FsxLustre,
  type FsxLustreProps,
  FsxLustreStorage,
  FsxOntap,
  type FsxOntapProps,
  FsxOpenZfs,
  type FsxOpenZfsProps,
  GridNetwork,
  HostBundle,
  type HostRole,
  type ISharedFileSystem,
  MountTarget,
} from '../../../constructs';
import { testStack } from '../../helpers/app';

export const SSD = FsxLustreStorage.ssd({ capacity: Size.gibibytes(4800), throughputPerTiB: 250 });

/** A stack with a network. Making one takes longer than all that is made in it. */
export interface Place {
  readonly stack: Stack;
  readonly network: GridNetwork;
}

export function place(app?: App): Place {
  const stack = testStack(app);
  return { stack, network: new GridNetwork(stack, 'Network', { availabilityZone: 'us-east-1a' }) };
}

export interface Made<T> extends Place {
  readonly fileSystem: T;
}

type More<P> = Partial<P> | ((scope: Construct, network: GridNetwork) => Partial<P>);

function make<T, P>(
  more: More<P>,
  at: Place | undefined,
  build: (scope: Construct, network: GridNetwork, props: Partial<P>) => T,
): Made<T> {
  const { stack, network } = at ?? place();
  const scope = at ? new Construct(stack, `Case${stack.node.children.length}`) : stack;
  const props = typeof more === 'function' ? more(scope, network) : more;
  return { stack, network, fileSystem: build(scope, network, props) };
}

export function lustre(more: More<FsxLustreProps> = {}, at?: Place): Made<FsxLustre> {
  return make(more, at, (scope, network, props) => {
    return new FsxLustre(scope, 'SasData', { network, storage: SSD, ...props });
  });
}

export function openZfs(more: More<FsxOpenZfsProps> = {}, at?: Place): Made<FsxOpenZfs> {
  const needed = { capacity: Size.tebibytes(10), throughputMBps: 2560 };
  return make(more, at, (scope, network, props) => {
    return new FsxOpenZfs(scope, 'SasData', { network, ...needed, ...props });
  });
}

export function ontap(more: More<FsxOntapProps> = {}, at?: Place): Made<FsxOntap> {
  const needed = { capacity: Size.tebibytes(10), throughputMBpsPerPair: 3072 };
  return make(more, at, (scope, network, props) => {
    return new FsxOntap(scope, 'SasData', { network, ...needed, ...props });
  });
}

export function efs(more: More<EfsSharedFileSystemProps> = {}, at?: Place): Made<EfsSharedFileSystem> {
  return make(more, at, (scope, network, props) => {
    return new EfsSharedFileSystem(scope, 'SasConfig', { network, ...props });
  });
}

/** Mounts a file system on a host of its own and returns the settings of a role, tokens resolved. */
export function mounted(
  { stack, network }: { stack: Stack; network: GridNetwork },
  fileSystem: ISharedFileSystem,
  role: HostRole,
  keys: string[],
  readOnly = false,
): { [key: string]: unknown } {
  const host = new SecurityGroup(stack, 'HostGroup', { vpc: network.vpc, allowAllOutbound: false });
  const hostBundle = new HostBundle();
  fileSystem.mountOn(new MountTarget({ host, hostBundle }), { mountPoint: '/sasdata', readOnly });
  return Object.fromEntries(keys.map((key) => [key, text(stack, hostBundle.setting(role, key))]));
}

/** A value with references written as `<Resource>` or `<Resource.Attribute>`, without the hashes of logical ids. */
export function text(stack: Stack, value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(flat(stack.resolve(value)) ?? null).replace(/([A-Za-z]+?)[0-9A-F]{8}(?=[>.])/g, '$1'),
  );
}

function flat(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const [[name, content]] = Object.entries(value) as [[string, unknown]];
  if (name === 'Ref') return `<${content}>`;
  if (name === 'Fn::GetAtt') return `<${(content as string[]).join('.')}>`;
  if (name === 'Fn::Join') {
    const [separator, parts] = content as [string, unknown[]];
    return parts.map(flat).join(separator);
  }
  return value;
}

/** The rules between the host of `mounted` and what it mounts, as `in tcp 988-988`, seen from the host. */
export function rulesOfHost(stack: Stack): string[] {
  const template = Template.fromStack(stack);
  const [host] = Object.keys(template.findResources('AWS::EC2::SecurityGroup')).filter((id) =>
    id.startsWith('HostGroup'),
  );
  const group = JSON.stringify({ 'Fn::GetAtt': [host, 'GroupId'] });
  return ['Ingress', 'Egress'].flatMap((direction) =>
    Object.values(template.findResources(`AWS::EC2::SecurityGroup${direction}`))
      .filter(({ Properties }) => JSON.stringify(Properties.GroupId) === group)
      .map(({ Properties: { IpProtocol, FromPort, ToPort } }) => {
        return `${direction === 'Ingress' ? 'in' : 'out'} ${IpProtocol} ${FromPort}-${ToPort}`;
      })
      .sort(),
  );
}
