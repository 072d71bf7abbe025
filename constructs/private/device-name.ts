/** The names that AWS recommends for volumes, and the letters of /dev/xvdba and on. */
const RECOMMENDED = 'fghijklmnop';
const SECOND_LETTERS = 'abcdefghijklmnopqrstuvwx';

/** How many names `deviceName` has. */
export const DEVICE_NAMES = RECOMMENDED.length + 3 * SECOND_LETTERS.length;

/**
 * Under which name EC2 attaches the volume at a position: /dev/sdf to /dev/sdp, then /dev/xvdba to /dev/xvdbx and
 * /dev/xvdca on. EC2 refuses others, as /dev/sdba or /dev/xvdby (Amazon EC2 User Guide, "Device names for volumes").
 * Hosts never see it: they find volumes by their id.
 */
export function deviceName(position: number): string {
  if (position < RECOMMENDED.length) return `/dev/sd${RECOMMENDED[position]}`;
  const rest = position - RECOMMENDED.length;
  const first = 'bcd'[Math.floor(rest / SECOND_LETTERS.length)];
  return `/dev/xvd${first}${SECOND_LETTERS[rest % SECOND_LETTERS.length]}`;
}
