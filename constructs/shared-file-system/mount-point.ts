import type { IConstruct } from 'constructs';
import { invalid, isConcrete } from '../private/validation';

// What a systemd mount unit and an env file take without quoting.
const MOUNT_POINT = /^(\/[A-Za-z0-9_.-]+)+$/;

/** Rejects a mount point that is not an absolute path of plain characters, or that climbs with `..`. */
export function requireMountPoint(scope: IConstruct | undefined, what: string, value: string): void {
  if (!isConcrete(value)) return;
  if (!MOUNT_POINT.test(value) || value.split('/').some((part) => part === '.' || part === '..')) {
    throw invalid(
      scope,
      what,
      value,
      "an absolute path of letters, digits, '_', '-' and '.'",
      'For example /sasdata.',
    );
  }
}
