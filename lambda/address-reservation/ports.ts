import type { AnswerPort } from '../shared/answer';
import type { Log } from '../shared/log';
import type { Timer } from '../shared/timer';

/** What is to be reserved. */
export interface Wanted {
  readonly subnetId: string;
  /** IPv4 range. */
  readonly cidr: string;
  readonly description: string;
}

/** A reservation of a subnet. */
export interface Reservation {
  readonly id: string;
  readonly cidr: string;
  /** `explicit` or `prefix`. */
  readonly kind: string;
  readonly description: string;
  readonly tags: { readonly [key: string]: string };
}

/** Reservations of type `explicit`: their addresses go to nothing that does not name them. */
export interface ReservationsPort {
  /** All of a subnet; none when there is no such subnet. May not know yet what was made or deleted a moment ago. */
  list(subnetId: string): Promise<readonly Reservation[]>;
  /** @returns the id */
  create(wanted: Wanted, tags: { readonly [key: string]: string }): Promise<string>;
  /** One that is gone is deleted. */
  delete(id: string): Promise<void>;
}

/** All that the function reaches. */
export interface Ports {
  readonly reservations: ReservationsPort;
  readonly answers: AnswerPort;
  readonly log: Log;
  readonly timer: Timer;
}
