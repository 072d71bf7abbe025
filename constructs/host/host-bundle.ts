import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Aspects, type IAspect, Lazy, Token } from 'aws-cdk-lib';
import { type IMachineImage, UserData } from 'aws-cdk-lib/aws-ec2';
import type { IConstruct } from 'constructs';
import { InvalidInputError } from '../errors';
import { checkArguments } from '../private/inputs/check';
import { hostFiles } from '../private/package-root';
import { invalid } from '../private/validation';
import { SERVICE_LIMITS } from '../sizing/service-limits';
import { type ArchiveEntry, archive, compressed, UNPACK } from './archive';
import { Carrier } from './carrier';
import { filesOf } from './files';
import { HostRole } from './host-role';
import { copyFromImage } from './in-image';
import type { HostBundleOverflow } from './overflow';
import { checkSoftware, type HostSoftware, softwareFiles } from './own-software';

const USER_DATA_BYTES = SERVICE_LIMITS.userDataBytes.value;

// A token's value comes at deployment. The longest in use are names of load balancers and URLs of repositories.
const TOKEN_BYTES = 128;

// A host serves one slot, so it has one of these roles at most.
const SLOT_ROLES = [
  HostRole.LUSTRE_MGS,
  HostRole.LUSTRE_MDS,
  HostRole.LUSTRE_OSS,
  HostRole.NFS_SERVER,
  HostRole.LOCAL_VOLUMES,
];

// After the aspects of others, which may add roles.
const LAST_ASPECT = 900;

const KEY = /^[A-Z][A-Z0-9_]*$/;
// How a token looks inside a string; what surrounds it is checked.
const TOKEN = /\$\{Token\[[^\]]*\]\}/g;

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is not allowed
const SAFE_VALUE = /^[^\u0000-\u001f\u007f'"$`\\]*$/;

/**
 * The software of one kind of host: the roles it has, their settings, and the user data that installs them.
 *
 * The files of the roles travel compressed inside the user data while they fit, because the images of some
 * distributions have neither the AWS CLI nor access to a bucket at first boot. Roles can be added until synthesis.
 */
export class HostBundle {
  private readonly roles = new Map<string, Map<string, string>>();
  private readonly software = new Map<string, HostSoftware>();

  /**
   * Gives the host a role. A role given again gets the additional settings.
   *
   * @param role what the host is for
   * @param settings the role's settings by upper-case key; values may be tokens
   * @throws when a key is no upper-case identifier, when a value has a line break, a quote, `$`, a backtick or a
   * backslash, when a key is already set to another value, or when the host already serves a slot in another role
   */
  public addRole(role: HostRole, settings: { [key: string]: string }): void {
    ({ role, settings } = checkArguments('HostBundle#addRole', { role, settings }));
    const served = SLOT_ROLES.find((other) => other !== role && this.roles.has(other));
    if (served && SLOT_ROLES.includes(role)) {
      throw invalid(
        undefined,
        'The role of a host that serves a slot',
        role,
        `'${served}', which this host has already`,
        'Use one HostBundle, and one kind of host, per service.',
      );
    }
    this.addSettings(role, settings);
  }

  /**
   * Gives the host software of your own: a script that root runs at every start, with what it needs. A file system that
   * is none of these constructs mounts itself in this way (`ISharedFileSystem.mountOn`). The same given again changes
   * nothing.
   *
   * @param props what it is called, what runs, and how it says that it works
   * @throws when the name cannot be one, when a script is a token, when a setting or a package has characters that are
   * not allowed, or when the host has other software of that name
   */
  public addSoftware(props: HostSoftware): void {
    const { settings = {} } = checkArguments('HostBundle#addSoftware', { props }).props;
    // The files are written as they were given: texts, and no tokens in the place of what a look-up has not answered.
    checkSoftware(props);
    const { name } = props;
    const before = this.software.get(name);
    if (before && JSON.stringify(softwareFiles(before)) !== JSON.stringify(softwareFiles(props))) {
      const fix = 'Give it another name, or give both places the same scripts and packages.';
      throw invalid(
        undefined,
        `The software ${name}`,
        'another',
        'what this host has by that name already',
        fix,
      );
    }
    this.addSettings(name, settings);
    this.software.set(name, props);
  }

  private addSettings(role: string, settings: { [key: string]: string }): void {
    const known = this.roles.get(role) ?? new Map<string, string>();
    for (const [key, value] of Object.entries(settings)) {
      checkSetting(role, key, value);
      const before = known.get(key);
      if (before !== undefined && before !== value) {
        throw invalid(
          undefined,
          `Setting ${key} of role ${role}`,
          value,
          `'${before}', to which it is already set on this host`,
          'Use one HostBundle per kind of host, or give both places the same value.',
        );
      }
    }
    for (const [key, value] of Object.entries(settings)) known.set(key, value);
    this.roles.set(role, known);
  }

  /** Whether the host has a role. */
  public hasRole(role: HostRole): boolean {
    ({ role } = checkArguments('HostBundle#hasRole', { role }));
    return this.roles.has(role);
  }

  /** The value of a setting; undefined when the host has not the role or the role has not the setting. */
  public setting(role: HostRole, key: string): string | undefined {
    ({ role, key } = checkArguments('HostBundle#setting', { role, key }));
    return this.roles.get(role)?.get(key);
  }

  /**
   * User data that unpacks the host's software under `/opt/cdk-sas-grid`, writes the settings of each role and starts
   * the roles. It is put together at synthesis, so that roles added later are in it.
   *
   * What does not fit into the 16 KiB that EC2 accepts becomes an object of S3, which the user data fetches and
   * verifies. Without `overflow` synthesis fails then; the message names the size and the biggest files.
   *
   * With an image that has the host software of today (`IHostImage`) only the settings and your own software are in it.
   *
   * @param overflow where the object goes, and who reads it
   * @param image what the host is launched from
   */
  public userData(overflow?: HostBundleOverflow, image?: IMachineImage): UserData {
    ({ overflow, image } = checkArguments('HostBundle#userData', { overflow, image }));
    const short = () => this.short(image);
    if (!overflow) return UserData.custom(Lazy.string({ produce: () => short() ?? this.render() }));
    let carrier: Carrier | undefined;
    const carry = () => {
      carrier ??= new Carrier(overflow, compressed(this.entries()));
      return carrier;
    };
    // An object and a right come too late while the template is written. By then no more roles are added.
    const decide = { visit: () => void (short() ?? this.inline() ?? carry()) };
    Aspects.of(overflow.scope).add(onlyAt(overflow.scope, decide), { priority: LAST_ASPECT });
    return UserData.custom(
      Lazy.string({
        produce: () => (carrier ? undefined : (short() ?? this.inline())) ?? this.render(carry()),
      }),
    );
  }

  /** Without what the image has; undefined when it has it not, or when the rest does not fit. */
  private short(image: IMachineImage | undefined): string | undefined {
    const paths = this.files();
    const copied = copyFromImage(image, paths);
    if (!copied) return undefined;
    const own = this.ownEntries();
    const lines = [...copied, ...(own.length > 0 ? unpack(own) : [])];
    const text = this.script(lines, [...paths.map((path) => ({ path, content: '' })), ...own]);
    return this.sizeOf(text) <= USER_DATA_BYTES ? text : undefined;
  }

  /** All of it in user data, without comments if need be; undefined when it does not fit. */
  private inline(): string | undefined {
    return [this.entries(), this.entries(withoutComments)]
      .map((entries) => this.script(unpack(entries), entries))
      .find((text) => this.sizeOf(text) <= USER_DATA_BYTES);
  }

  private render(carrier?: Carrier): string {
    const entries = this.entries();
    if (!carrier) {
      const inline = this.inline();
      if (inline !== undefined) return inline;
      const bare = this.entries(withoutComments);
      throw this.tooLarge(this.sizeOf(this.script(unpack(bare), bare)), entries);
    }
    if (!carrier.holds(compressed(entries))) {
      throw new Error(
        'A role was added to a HostBundle after its software was packed. Add roles before synthesis.',
      );
    }
    const text = this.script(carrier.lines(), entries);
    if (this.sizeOf(text) > USER_DATA_BYTES) throw this.tooLarge(this.sizeOf(text), []);
    return text;
  }

  private names(): string[] {
    return [...this.hostRoles(), ...this.software.keys()];
  }

  private hostRoles(): HostRole[] {
    return Object.values(HostRole).filter((role) => this.roles.has(role));
  }

  private entries(change = (entry: ArchiveEntry) => entry): ArchiveEntry[] {
    return [...this.files().map(readEntry).map(change), ...this.ownEntries()];
  }

  /** Libraries before programs: that packs a little smaller. */
  private files(): string[] {
    const backends = this.hostRoles().map((role) => this.roles.get(role)!.get('BACKEND'));
    return filesOf(
      this.hostRoles(),
      backends.find((backend) => backend !== undefined),
      this.software.size > 0,
    ).reverse();
  }

  private ownEntries(): ArchiveEntry[] {
    return [...this.software.values()].flatMap(softwareFiles);
  }

  private sizeOf(text: string): number {
    const values = [...this.roles.values()].flatMap((settings) => [...settings.values()]);
    const tokens = values.filter((value) => Token.isUnresolved(value)).length;
    return Buffer.byteLength(text) + tokens * TOKEN_BYTES;
  }

  private tooLarge(bytes: number, entries: ArchiveEntry[]): Error {
    const biggest = [...entries]
      .sort((a, b) => b.content.length - a.content.length)
      .slice(0, 3)
      .map((entry) => `${entry.path} (${entry.content.length} bytes)`);
    const [overflow, files] =
      biggest.length > 0
        ? [', or userData() an overflow', ` The biggest files are ${biggest.join(', ')}.`]
        : ['', ''];
    return new InvalidInputError(
      `The user data of a host with the roles ${this.names().join(', ')} is ${bytes} bytes; allowed: up to ` +
        `${USER_DATA_BYTES}. Give the host fewer roles or shorter settings${overflow}.${files}`,
    );
  }

  private script(software: string[], entries: ArchiveEntry[]): string {
    const roles = this.names();
    const folders = [...new Set(entries.map((entry) => dirname(entry.path)))];
    const lines = [
      '#!/bin/bash',
      '# cdk-sas-grid: host software',
      'set -euo pipefail',
      'umask 022',
      `root=\${SAS_GRID_ROOT:-}`,
      'base=$root/opt/cdk-sas-grid',
      `mkdir -p "$root/etc/sas-grid" "$base"/{${folders.join(',')}}`,
      ...software,
      // A file that is empty after a power failure may not be a program: bash takes an empty one for one that
      // succeeded.
      'sync',
      'chmod 755 "$base"/bin/*',
      ...roles.flatMap((role) => [
        `cat >"$root/etc/sas-grid/${role}.env" <<'END'`,
        ...[...this.roles.get(role)!].map(([key, value]) => `${key}=${value}`),
        'END',
      ]),
      `exec "$base/bin/sas-grid-bootstrap" ${roles.join(' ')}`.trimEnd(),
      '',
    ];
    return lines.join('\n');
  }
}

function readEntry(path: string): ArchiveEntry {
  return { path, content: readFileSync(join(hostFiles(), path), 'utf8') };
}

function checkSetting(role: string, key: string, value: string): void {
  if (!KEY.test(key)) {
    throw invalid(
      undefined,
      `A setting's key of role ${role}`,
      key,
      'upper-case letters, digits and _, starting with a letter',
      'Rename it.',
    );
  }
  if (!SAFE_VALUE.test(value.replace(TOKEN, ''))) {
    throw invalid(
      undefined,
      `Setting ${key} of role ${role}`,
      value,
      'text in one line without quotes, $, `, \\ and control characters',
      'Settings are written to a file on the host; remove what is not allowed.',
    );
  }
}

// Comments, empty lines and indentation help whoever looks at a host, but not at the price of another role. The first
// block of a program stays: it is the help text.
function withoutComments({ path, content }: ArchiveEntry): ArchiveEntry {
  const end = path.startsWith('bin/') ? content.indexOf('\n\n') + 1 : 0;
  const shell = path.endsWith('.sh') || content.startsWith('#!/bin/bash');
  const described = path.endsWith('.py') ? content.replace(/^\s*"""[^"]*"""\n/gm, '') : content;
  const bare = described.slice(end).replace(/^\s*#.*\n/gm, '');
  return { path, content: content.slice(0, end) + bare.replace(shell ? /^[ \n]+/gm : /^\n+/gm, '') };
}

/** Visits one construct and not those below it. */
function onlyAt(scope: IConstruct, aspect: IAspect): IAspect {
  return { visit: (node) => (node === scope ? aspect.visit(node) : undefined) };
}

/** Lines of user data that unpack the files from the user data itself. */
function unpack(entries: ArchiveEntry[]): string[] {
  return [`{ ${UNPACK}; } <<'BUNDLE'`, archive(entries), 'BUNDLE'];
}
