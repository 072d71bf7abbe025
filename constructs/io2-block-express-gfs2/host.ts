import type { IMountTarget } from '../shared-file-system';

/** A host that has the file system. What it is for besides is added to its software. */
export interface IIo2Host extends IMountTarget {
  /** Its name: `io2-00` for the one host, `node1` and so on in a cluster. */
  readonly name: string;

  /** Its fixed private address. A token unless it was given. */
  readonly address: string;
}
