import type { Check, Subject, Told } from '../findings';
import { bootstrap } from './bootstrap';
import { endpoints } from './endpoints';
import { images } from './images';
import { instanceTypes } from './instance-types';
import { keys } from './keys';
import { names } from './names';
import { networks } from './networks';
import { notFoundOut } from './parts';
import { quotas } from './quotas';

/** All checks that ask AWS, in the order in which they are told. */
export const CHECKS: readonly Check[] = [
  bootstrap,
  instanceTypes,
  quotas,
  images,
  endpoints,
  keys,
  networks,
  names,
];

/** Runs the checks side by side. What one of them cannot find out keeps no other back. */
export async function runChecks(subject: Subject, checks: readonly Check[] = CHECKS): Promise<Told[]> {
  const found = await Promise.all(
    checks.map(async ({ name, run }) => {
      const findings = await run(subject).catch((error: unknown) => [notFoundOut(error)]);
      return findings.map((finding) => ({ check: name, ...finding }));
    }),
  );
  return found.flat();
}
