/**
 * dead: the probe sees it. hung: what the probe asks does not answer, and it gives up. silent: the probe itself does
 * not end.
 */
export type Ailment = 'dead' | 'hung' | 'silent';

/** How long the probe of such a host takes, milliseconds. */
const PROBE_TAKES_MS: { readonly [ailment in Ailment]: number } = {
  dead: 200,
  hung: 20_000,
  silent: 3_600_000,
};
const USUAL_MS = 200;

/** How long after a start the probe is in doubt (probe.sh, fails). */
const UNSURE_MS = 900_000;

/** How many starts within how long mean that it does not stay up (probe.sh, starts). */
const MANY_RESTARTS = 5;
const RESTARTS_MS = 3_600_000;

/** What a probe prints, its exit code, and how long it takes (milliseconds). */
export interface Probed {
  readonly said: string;
  readonly exitCode: number;
  readonly ms: number;
}

/** What the probe finds on a host. */
interface Found {
  readonly serving: boolean;
  readonly repairing: boolean;
  /** What is wrong with the way of its answers. */
  readonly way: string | undefined;
}

/** Whether a host's service does its work, and what its probe says of it (constructs/host/documents/probe.sh). */
export class Health {
  /** Why it does not serve although it was told and has everything. */
  ailment: Ailment | undefined;
  private bootedAt = 0;
  /** When it came up again. */
  private readonly restarts: number[] = [];
  private lie: { readonly says: 'serves' | 'fails'; readonly until: number } | undefined;

  constructor(private readonly now: () => number) {}

  /** The operating system came up. */
  boot(): void {
    if (this.bootedAt !== 0) this.restarts.push(this.now());
    this.bootedAt = this.now();
  }

  /** It came up long ago. */
  growOld(): void {
    this.bootedAt = Number.NEGATIVE_INFINITY;
  }

  /** What its probe says is not so, for a while. */
  tellLies(says: 'serves' | 'fails', ms: number): void {
    this.lie = { says, until: this.now() + ms };
  }

  tellTheTruth(): void {
    this.lie = undefined;
  }

  probe(slot: string | undefined, epoch: number, { serving, repairing, way }: Found): Probed {
    const answer = (exitCode: number, words: string): Probed => ({
      said: `${slot ?? '-'} ${epoch} ${words}`,
      exitCode,
      ms: this.ailment === undefined ? USUAL_MS : PROBE_TAKES_MS[this.ailment],
    });
    if (slot === undefined)
      return this.hasJustStarted
        ? answer(75, 'unsure it has just started')
        : answer(20, 'fails this host knows no slot');
    const restarts = this.restarts.filter((at) => this.now() - at < RESTARTS_MS).length;
    if (restarts >= MANY_RESTARTS && !repairing) return answer(20, `fails it has started ${restarts} times`);
    const lie = this.lie && this.now() < this.lie.until ? this.lie.says : undefined;
    const serves = serving && way === undefined;
    if (lie === 'serves' || (serves && lie === undefined)) return { ...answer(0, 'serves'), ms: USUAL_MS };
    const why = serving && way !== undefined ? way : 'it does not serve';
    if (this.hasJustStarted) return answer(75, `unsure it has just started: ${why}`);
    if (repairing) return answer(75, `unsure e2fsck runs: ${why}`);
    return answer(20, `fails ${why}`);
  }

  /** Whether a program that looks at it is in doubt, since it has just started. */
  get hasJustStarted(): boolean {
    return this.now() - this.bootedAt < UNSURE_MS;
  }
}
