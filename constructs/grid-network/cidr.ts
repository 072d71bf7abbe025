/** An IPv4 range: its first address as a number, and how many addresses it has. Pure arithmetic. */
export interface Range {
  readonly first: number;
  readonly size: number;
}

// Without zeros in front, which some read as octal.
const PATTERN = /^(0|[1-9]\d{0,2})\.(0|[1-9]\d{0,2})\.(0|[1-9]\d{0,2})\.(0|[1-9]\d{0,2})\/(0|[1-9]\d?)$/;

/** Reads `172.16.4.0/24`; undefined when it is no IPv4 range or when its address is not the first of the range. */
export function parseCidr(text: string): Range | undefined {
  const parts = PATTERN.exec(text)?.slice(1).map(Number);
  if (!parts) return undefined;
  const prefix = parts[4]!;
  const bytes = parts.slice(0, 4);
  if (prefix > 32 || bytes.some((byte) => byte > 255)) return undefined;
  const first = bytes.reduce((sum, byte) => sum * 256 + byte, 0);
  const size = 2 ** (32 - prefix);
  return first % size === 0 ? { first, size } : undefined;
}

/** The dotted form of an address. */
export function formatAddress(address: number): string {
  return [24, 16, 8, 0].map((shift) => Math.floor(address / 2 ** shift) % 256).join('.');
}

/** The text of a range whose size is a power of two. */
export function formatCidr({ first, size }: Range): string {
  return `${formatAddress(first)}/${32 - Math.log2(size)}`;
}

/** Whether `outer` has every address of `inner`. */
export function contains(outer: Range, inner: Range): boolean {
  return inner.first >= outer.first && inner.first + inner.size <= outer.first + outer.size;
}

/** Whether two ranges have an address in common. */
export function overlaps(a: Range, b: Range): boolean {
  return a.first < b.first + b.size && b.first < a.first + a.size;
}

/** Prefix length, 24 for 256 addresses. */
export function prefixLength({ size }: Range): number {
  return 32 - Math.log2(size);
}

/**
 * The middle half of a subnet: its second and its third quarter, as two ranges. It never touches the first four
 * addresses and the last one, which AWS keeps for itself.
 */
export function middleHalf({ first, size }: Range): Range[] {
  const quarter = size / 4;
  return [1, 2].map((i) => ({ first: first + i * quarter, size: quarter }));
}

// RFC 1918, and RFC 6598 for networks behind a carrier's translation.
const PRIVATE_RANGES = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10'].map(
  (text) => parseCidr(text)!,
);

/** Whether all addresses of a range are private. */
export function isPrivate(range: Range): boolean {
  return PRIVATE_RANGES.some((outer) => contains(outer, range));
}
