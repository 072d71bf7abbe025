/**
 * How far apart snapshots that were made together may start, milliseconds. One call makes a set of all volumes of an
 * instance (EC2 API reference, CreateSnapshots), and copies of a set are asked for one after the other; the next set
 * comes an hour later or more.
 */
export const TOGETHER_MS = 60_000;
