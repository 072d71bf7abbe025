import { Construct, DependencyGroup, type IDependable } from 'constructs';
import { LustreSoftware, LustreTuning } from '../intel-lustre';
import { checkArguments } from '../private/inputs/check';
import { invalid, isConcrete, requireInteger } from '../private/validation';
import type { ILustreFileSystem, IMountTarget, INfsFileSystem, MountOptions } from '../shared-file-system';
import { MAX_NCONNECT } from '../sizing';
import { FileSystemAccess } from './access';
import { type ExistingLustreProps, type ExistingNfsProps, NfsVersion } from './existing-props';
import { type LustreSource, mountLustre, mountNfs, type NfsSource, openPorts } from './mount';
import { LUSTRE_PORTS, NFS_PORT } from './ports';

// Letters, digits, and what names, addresses and networks consist of; what the host's settings take.
const NIDS = /^[A-Za-z0-9][A-Za-z0-9.-]*@[a-z0-9]+(:[A-Za-z0-9][A-Za-z0-9.-]*@[a-z0-9]+)*$/;
const FSNAME = /^[A-Za-z0-9_][A-Za-z0-9_-]{0,7}$/;
const SERVER = /^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$/;
const OPTION = /^[a-z][a-z0-9_]*(=[A-Za-z0-9_.:/-]+)?$/;
const OWN_OPTIONS = ['nfsvers', 'vers', 'minorversion', 'nconnect', 'hard', 'soft', 'softerr'];
const EXPORT = /^\/$|^(\/[A-Za-z0-9_.-]+)+$/;

/** A Lustre file system that exists already, wherever it runs. Nothing is made but the rules that let hosts in. */
export class ExistingLustre extends Construct implements ILustreFileSystem {
  /** `lustre`. */
  readonly fileSystemType = 'lustre';

  /** What is mounted: `<mgsNid>:/<fileSystemName>`. */
  readonly mountSource: string;

  /** Nothing to wait for: it is there. */
  readonly served: IDependable;

  private readonly source: LustreSource;
  private readonly access: FileSystemAccess;

  constructor(scope: Construct, id: string, props: ExistingLustreProps) {
    ({ props } = checkArguments('ExistingLustre', { scope, id, props }));
    super(scope, id);
    const { mgsNid, fileSystemName } = props;
    requireText(this, 'mgsNid', mgsNid, NIDS, "a Lustre network id such as '172.16.4.10@tcp'");
    requireText(this, 'fileSystemName', fileSystemName, FSNAME, "1 to 8 letters, digits, '_' or '-'");
    this.mountSource = `${mgsNid}:/${fileSystemName}`;
    this.served = new DependencyGroup();
    this.access = props.access ?? FileSystemAccess.alreadyOpen();
    this.source = {
      fileSystemName,
      mgsNid,
      software: props.software ?? LustreSoftware.preinstalled(),
      tuning: props.tuning ?? LustreTuning.papersClient(),
      largeClientTuning: props.largeClientTuning ?? false,
    };
  }

  /**
   * Mounts the file system on a host at every start, with `flock`.
   *
   * @param target the host
   * @param options where to mount it
   * @throws when the mount point is not an absolute path, or when the host already mounts another Lustre file system
   */
  mountOn(target: IMountTarget, options: MountOptions): void {
    ({ target, options } = checkArguments('ExistingLustre#mountOn', { target, options }, this));
    mountLustre(this, this.source, target, options);
    const { connections } = this.access;
    if (connections) openPorts(target, { connections }, LUSTRE_PORTS, true);
  }
}

/** An NFS export that exists already, wherever its server runs. Nothing is made but the rules that let hosts in. */
export class ExistingNfs extends Construct implements INfsFileSystem {
  /** `nfs4`. */
  readonly fileSystemType = 'nfs4';

  /** What is mounted: `<server>:<exportPath>`. */
  readonly mountSource: string;

  /** Nothing to wait for: it is there. */
  readonly served: IDependable;

  private readonly source: NfsSource;
  private readonly access: FileSystemAccess;

  constructor(scope: Construct, id: string, props: ExistingNfsProps) {
    ({ props } = checkArguments('ExistingNfs', { scope, id, props }));
    super(scope, id);
    requireText(this, 'server', props.server, SERVER, 'an IPv4 address or a DNS name');
    requireText(this, 'exportPath', props.exportPath, EXPORT, "an absolute path such as '/export/sasdata'");
    const connections = props.connections ?? MAX_NCONNECT;
    requireInteger(this, 'connections', connections, 1, MAX_NCONNECT, 'Linux has no more for one mount.');
    this.mountSource = `${props.server}:${props.exportPath}`;
    this.served = new DependencyGroup();
    this.access = props.access ?? FileSystemAccess.alreadyOpen();
    this.source = {
      server: props.server,
      exportPath: props.exportPath,
      version: props.version ?? NfsVersion.V4_2,
      connections,
      options: checkedOptions(this, props.mountOptions ?? []),
    };
  }

  /**
   * Mounts the export on a host at every start.
   *
   * @param target the host
   * @param options where to mount it
   * @throws when the mount point is not an absolute path, or when the host already mounts another NFS export
   */
  mountOn(target: IMountTarget, options: MountOptions): void {
    ({ target, options } = checkArguments('ExistingNfs#mountOn', { target, options }, this));
    mountNfs(this, this.source, target, options);
    const { connections } = this.access;
    if (connections) openPorts(target, { connections }, [NFS_PORT], false);
  }
}

function checkedOptions(scope: Construct, options: string[]): string[] {
  for (const option of options.filter(isConcrete)) {
    const name = option.split('=')[0]!;
    if (OPTION.test(option) && !OWN_OPTIONS.includes(name)) continue;
    throw invalid(
      scope,
      'mountOptions',
      option,
      `one option of nfs(5) each, but none of ${OWN_OPTIONS.join(', ')}`,
      'Version and connections have properties of their own; soft mounts lose data.',
    );
  }
  return options;
}

function requireText(scope: Construct, what: string, value: string, form: RegExp, allowed: string): void {
  if (!isConcrete(value)) return;
  if (!form.test(value))
    throw invalid(scope, what, value, allowed, 'Write it as the mount command takes it.');
}
