import { OptionError } from '../arguments';

const NUMBER = String.raw`(\d+(?:\.\d+)?|\.\d+)`;
const WITH_UNIT = new RegExp(`^${NUMBER}\\s*([a-z/]*)$`, 'i');

const BYTES: { readonly [unit: string]: number } = {
  gb: 1e9,
  gib: 2 ** 30,
  tb: 1e12,
  tib: 2 ** 40,
  pb: 1e15,
  pib: 2 ** 50,
};
const MBPS: { readonly [unit: string]: number } = { '': 1, 'mb/s': 1, 'mib/s': 2 ** 20 / 1e6 };

const BYTES_PER_TB = 1e12;

/** `50TB`, `50TiB`, `500GB` in 10^12 bytes. A unit is required: TB and TiB differ by a tenth. */
export function capacityTB(option: string, text: string): number {
  const { number, factor } = inUnit(text, BYTES);
  if (number !== undefined && factor !== undefined) return (number * factor) / BYTES_PER_TB;
  const example = number === undefined ? '50TB' : `${number}TB`;
  throw new OptionError(
    `${option} is '${text}'; allowed: a number with its unit, GB, GiB, TB, TiB, PB or PiB. Type ${option} ${example}`,
  );
}

/** `75`, `75MB/s` or `75MiB/s` in MB/s. `Mbps` is refused: it means bits. */
export function mbps(option: string, text: string): number {
  const { number, factor } = inUnit(text, MBPS);
  if (number !== undefined && factor !== undefined) return number * factor;
  throw new OptionError(
    `${option} is '${text}'; allowed: MB/s for each core, such as 75, 75MB/s or 75MiB/s. Type ${option} ` +
      `${number ?? 75}`,
  );
}

/** `0.7` or `70%` as 0.7. */
export function share(option: string, text: string): number {
  const [, digits, percent] = new RegExp(`^${NUMBER}(%?)$`).exec(text) ?? [];
  const value = Number(digits) / (percent ? 100 : 1);
  if (value >= 0 && value <= 1) return value;
  throw new OptionError(`${option} is '${text}'; allowed: 0 to 1, or 0% to 100%. Type ${option} 70%`);
}

/** A number without a unit. What it may be, the model says. */
export function plainNumber(option: string, text: string, example: number): number {
  if (new RegExp(`^-?${NUMBER}$`).test(text)) return Number(text);
  throw new OptionError(`${option} is '${text}'; allowed: a number. Type ${option} ${example}`);
}

function inUnit(text: string, units: { readonly [unit: string]: number }) {
  const [, digits, unit = ''] = WITH_UNIT.exec(text.trim()) ?? [];
  if (digits === undefined) return {};
  const key = unit.toLowerCase();
  return { number: Number(digits), factor: Object.hasOwn(units, key) ? units[key] : undefined };
}
