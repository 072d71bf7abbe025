import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Token } from 'aws-cdk-lib';
import { isPlaceholder } from '../private/inputs/awaited-context';
import { hostFiles } from '../private/package-root';
import { invalid } from '../private/validation';
import type { ArchiveEntry } from './archive';
import { HostRole } from './host-role';

/** Software of your own on a host: the client of a file system, an agent, the way into a domain. */
export interface HostSoftware {
  /**
   * What the host calls it: up to 32 lower-case letters, digits and dashes, such as `beegfs-client`. It is the service
   * `sas-grid-<name>.service`.
   */
  readonly name: string;

  /**
   * A bash script that root runs at every start of the host, before the host becomes a node of a grid. Once it ends
   * with 0, what it is for is there: the mount, for example. Otherwise it is run again after ten seconds, for a day. It
   * has to change nothing when it is run again. Tokens belong into `settings`.
   */
  readonly script: string;

  /**
   * What the script finds in its environment, by upper-case key; values may be tokens.
   *
   * @default - nothing
   */
  readonly settings?: { [key: string]: string };

  /**
   * Packages that the script needs, by the names that the distribution of the image has. Their repository has to be
   * known on the image, or the script installs them itself.
   *
   * @default - none
   */
  readonly packages?: string[];

  /**
   * A bash script that says whether it works: it ends with 0, or prints one line that says what is wrong. The health of
   * the servers of a grid has that line among its reasons. It is asked every five minutes, changes nothing, has the
   * settings in its environment, and 10 seconds.
   *
   * @default - nobody asks; the mount itself is asked in any case
   */
  readonly check?: string;
}

// What the host's own programs and units are called, and the command that the health of a node writes.
const namesOfHost = (): string[] => ['health', ...readNames('bin'), ...readNames('systemd')];

const NAME = /^[a-z][a-z0-9-]{0,31}$/;

// rpm and dpkg allow fewer characters; a version may follow.
const PACKAGE = /^[A-Za-z0-9][A-Za-z0-9+._=:~^-]*$/;

/** @throws when a name cannot be one, or a script is a token */
export function checkSoftware({ name, script, check, packages = [] }: HostSoftware): void {
  const taken = [...new Set([...Object.values(HostRole), ...namesOfHost()])].sort();
  if (!isPlaceholder(name) && (!NAME.test(name) || taken.includes(name))) {
    const allowed = `up to 32 lower-case letters, digits and dashes, a letter first; none of ${taken.join(', ')}`;
    throw invalid(undefined, 'The name of software on a host', name, allowed, 'Choose another name.');
  }
  const wrong = packages.find((each) => !isPlaceholder(each) && !PACKAGE.test(each));
  if (wrong !== undefined) {
    const allowed = 'the name of a package, with = and a version if need be';
    throw invalid(undefined, `A package of ${name}`, wrong, allowed, 'Write it as the distribution does.');
  }
  for (const [what, text] of [
    ['script', script],
    ['check', check ?? '-'],
  ] as const) {
    if (text.trim() && !Token.isUnresolved(text)) continue;
    const found = text.trim() ? 'a token' : 'empty';
    const fix = 'Write what is known at deployment into settings: the script finds it in its environment.';
    throw invalid(
      undefined,
      `The ${what} of ${name}`,
      found,
      'the text of a bash script, without tokens',
      fix,
    );
  }
}

/** Its files on the host. */
export function softwareFiles({ name, script, packages = [], check }: HostSoftware): ArchiveEntry[] {
  const service = `sas-grid-${name}.service`;
  return [
    text(`systemd/sas-grid-${name}.target`, [
      '[Unit]',
      `Description=SAS Grid: ${name}`,
      `Requires=${service}`,
      `After=${service}`,
      '',
      '[Install]',
      'WantedBy=multi-user.target',
    ]),
    text(`systemd/${service}`, [
      '[Unit]',
      `Description=SAS Grid: start ${name}`,
      'Wants=network-online.target',
      'After=network-online.target',
      'Before=sas-grid-node.service',
      'OnFailure=sas-grid-retry.service',
      '',
      '[Service]',
      'Type=oneshot',
      'RemainAfterExit=yes',
      `ExecStart=/opt/cdk-sas-grid/bin/sas-grid-${name}`,
      'TimeoutStartSec=infinity',
    ]),
    bash(`bin/sas-grid-${name}`, starter(name, packages)),
    bash(`bin/start-${name}`, script),
    ...(check === undefined ? [] : [bash(`bin/check-${name}`, check)]),
  ];
}

/**
 * Does not fail while something is missing that may come, as the mounts of the library do not: what is ordered after
 * it, a node of a grid, would begin without it, and tell CloudFormation of a failure.
 */
function starter(name: string, packages: string[]): string {
  const quoted = packages.map((each) => `'${each}'`).join(' ');
  const install = packages.length > 0 ? `(install_packages ${quoted}) &&\n    ` : '';
  const wait = `wait_until "\${SAS_GRID_MOUNT_WAIT:-86400}" start`;
  return `# Usage: sas-grid-${name}
#
# Runs start-${name} until it succeeds, for a day.
#
# Exit codes: 0 done; 75 not within the time.
set -euo pipefail

BIN=$(dirname "$(readlink -f "$0")")
for part in log wait settings${packages.length ? ' distro' : ''}; do source "$BIN/../lib/$part.sh"; done

# As they are written, and nothing of this program's own.
mapfile -t settings <"$ROOT/etc/sas-grid/${name}.env"

start() {
  ${install}env "\${settings[@]}" "$BIN/start-${name}"
}
SAS_GRID_POLL=\${SAS_GRID_POLL:-10} ${wait} || die "$EXIT_NOT_YET" '${name} does not start'
log '${name} is started'`;
}

const text = (path: string, lines: string[]): ArchiveEntry => ({ path, content: `${lines.join('\n')}\n` });

const bash = (path: string, script: string): ArchiveEntry =>
  text(path, [...(script.startsWith('#!') ? [] : ['#!/bin/bash']), script.trimEnd()]);

function readNames(folder: string): string[] {
  const files = readdirSync(join(hostFiles(), folder));
  return files.map((file) => file.replace(/^sas-grid-/, '').replace(/@?(\.[a-z]+)?$/, ''));
}
