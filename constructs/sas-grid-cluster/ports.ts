/** A port that the nodes of a grid reach each other on. */
export interface GridPort {
  readonly port: number;
  readonly tcp: boolean;
  readonly udp: boolean;
}

/**
 * The ports of SAS Grid Manager 9.4: Platform LSF, EGO and what belongs to them.
 * Source: SAS/Intel paper 001, "Configuring SAS Grid Manager" (April 2015).
 */
export const GRID_PORTS: readonly GridPort[] = [
  { port: 7869, tcp: true, udp: true },
  { port: 6881, tcp: true, udp: false },
  { port: 6878, tcp: true, udp: false },
  { port: 6882, tcp: true, udp: false },
  { port: 6884, tcp: true, udp: false },
  { port: 7870, tcp: true, udp: false },
  { port: 7871, tcp: true, udp: false },
  { port: 7872, tcp: true, udp: false },
  { port: 9090, tcp: true, udp: false },
];

/** Needed only where EGO answers name queries itself, for its high availability (paper 001). */
export const EGO_DNS_PORT: GridPort = { port: 53, tcp: true, udp: true };
