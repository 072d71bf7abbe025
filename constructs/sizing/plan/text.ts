// Intl is slow, and a plan has dozens of numbers.
const THOUSANDS = /\B(?=(\d{3})+$)/g;

/** `1,234,567`. */
export function thousands(value: number): string {
  return Math.abs(value) < 1e15 ? String(Math.round(value)).replace(THOUSANDS, ',') : String(value);
}

/** `1,500 MB/s`. */
export function mbpsText(mbps: number): string {
  return `${thousands(mbps)} MB/s`;
}

/** `1.5 GB/s`, `431 MB/s`. */
export function throughputText(mbps: number): string {
  return mbps >= 1000 ? `${short(mbps / 1000)} GB/s` : `${short(mbps)} MB/s`;
}

/** Two digits, or all before the point. */
export function short(value: number): string {
  return value >= 10 ? String(Math.round(value)) : String(Math.round(value * 10) / 10);
}

/** `$1,234`, or that it is not known. */
export function usdText(usd: number | undefined): string {
  return usd === undefined ? 'price not known' : `$${thousands(usd)}`;
}
