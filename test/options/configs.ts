import { loadConfig } from '../../lib/config';
import type { DeploymentConfig } from '../../lib/config-types';
import { REFERENCES } from '../helpers/reference-deployments';
import { FIXED } from './fixed';
import { keysOf, valueAt, withKey } from './keys';
import { CHOICES } from './values';

/** A key is tried in the first of them that can have it. */
const FASTEST: readonly string[] = ['sas-grid-nfs', 'nfs-storage-server', 'sas-server-io2', 'sas-grid-gfs2'];

/** The reference deployments, those first that are synthesized fastest. */
export const DEPLOYMENTS: readonly string[] = [
  ...FASTEST,
  ...REFERENCES.filter((name) => !FASTEST.includes(name)),
];

const ANYWHERE = ['description', 'region', 'account', 'tags', 'alarmEmail', 'operations'];
const WITH_HOSTS = ['benchmark'];
const WITH_TIERS = ['gameDay'];

/** The keys that a deployment can have, or has. */
export function keysFor(name: string): string[] {
  const config = loadConfig(name);
  return keysOf()
    .map(({ path }) => path)
    .filter((path) => {
      const [section] = path.split('.') as [string];
      const only = CHOICES[path]?.only;
      if (only) return only.includes(name);
      if (ANYWHERE.includes(section)) return true;
      if (WITH_HOSTS.includes(section)) return !config.existingNetwork;
      if (WITH_TIERS.includes(section)) return Boolean(config.storage ?? config.nfs);
      return section in config;
    });
}

/** Configurations without keys, with them, and with other values; without the first where the keys have to be there. */
export interface Configs {
  readonly off?: DeploymentConfig;
  readonly on: DeploymentConfig;
  readonly changed: DeploymentConfig;
}

/** The configurations of a deployment in which these keys are switched and changed together. */
export function configsOf(name: string, paths: readonly string[]): Configs {
  const choices = paths.map((path) => ({ path, ...CHOICES[path]! }));
  let base = loadConfig(name);
  for (const section of ['benchmark', 'gameDay'] as const)
    if (!base[section] && paths.some((path) => path.startsWith(`${section}.`)))
      base = withKey(base, section, {});
  for (const { beside = {} } of choices)
    for (const [key, value] of Object.entries(beside)) base = withKey(base, key, value);
  const all = (ofChoice: (choice: (typeof choices)[number]) => unknown) =>
    choices.reduce((config, choice) => {
      const { path, insteadOf = [] } = choice;
      const value = ofChoice(choice);
      const without = value === undefined ? [] : insteadOf;
      return without.reduce((one, key) => withKey(one, key, undefined), withKey(config, path, value));
    }, base);
  const own = ({ path, on }: { path: string; on: unknown }) => valueAt(base, path) ?? on;
  const on = all(own);
  const changed = all((choice) => {
    const value = own(choice);
    return choice.changed ?? (typeof value === 'boolean' ? !value : choice.on);
  });
  return paths.every(isOptional) ? { off: all(() => undefined), on, changed } : { on, changed };
}

const isOptional = (path: string): boolean =>
  !CHOICES[path]?.needed && Boolean(keysOf().find((key) => key.path === path)?.optional);

/**
 * Keys that can be switched and changed together, since they leave each other alone. Those that cannot be changed once
 * they are deployed, those that have to be there and those that take the place of others stand alone.
 */
export function bundlesOf(paths: readonly string[]): string[][] {
  const bundles: string[][] = [];
  for (const path of paths) {
    const { insteadOf, alone } = CHOICES[path]!;
    const stands = FIXED.includes(path) || insteadOf || alone || !isOptional(path);
    const bundle = stands ? undefined : bundles.find((each) => fits(path, each));
    if (bundle) bundle.push(path);
    else bundles.push([path]);
  }
  return bundles;
}

const related = (a: string, b: string): boolean => a === b || a.startsWith(`${b}.`) || b.startsWith(`${a}.`);

function fits(path: string, bundle: readonly string[]): boolean {
  const besides = (of: string) => Object.entries(CHOICES[of]?.beside ?? {});
  const meets = (one: string, other: string) =>
    besides(one).some(
      ([key, value]) =>
        (related(key, other) && !(key in (CHOICES[other]?.beside ?? {}))) ||
        besides(other).some(
          ([its, itsValue]) =>
            related(key, its) && (key !== its || JSON.stringify(value) !== JSON.stringify(itsValue)),
        ),
    );
  const first = CHOICES[bundle[0]!]!;
  return (
    !FIXED.includes(bundle[0]!) &&
    !first.insteadOf &&
    !first.alone &&
    isOptional(bundle[0]!) &&
    bundle.every((other) => !related(path, other) && !meets(path, other) && !meets(other, path))
  );
}
