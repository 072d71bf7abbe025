import type { Check } from '../kit/model';
import type { CatalogUser, Outcome, Parameters } from './catalog-client';
import { LaunchedProduct, type Place } from './launched-product';

/** A product and what the story does with it. */
export interface Chapter {
  /** What the console calls the product. */
  readonly product: string;
  /** What the launched product is called. */
  readonly name: string;
  /** The version that is launched, and the one that it is updated to. */
  readonly from: string;
  readonly to: string;
  /** Values for the launch; those that the product does not ask for are left out. */
  readonly launchWith: Parameters;
  /** Another value of a parameter that is fixed at launch. */
  readonly refused: Parameters;
  /** Whether the volumes keep their size: those that several hosts share do. */
  readonly sizeFixed?: boolean;
}

/** What the story runs in. */
export interface Stage extends Place {
  readonly user: CatalogUser;
  readonly tell: (line: string) => void;
}

// Sizes that are larger, and smaller, than what the reference deployments start with.
const SIZES: Record<string, { grown: string; shrunk: string }> = {
  VolumeGiB: { grown: '12000', shrunk: '200' },
  CapacityGiB: { grown: '12000', shrunk: '1200' },
};

/** Launches, updates and terminates one product as a user does, and tells after each step what holds. */
export class ProductStory {
  private product?: LaunchedProduct;
  private readonly checks: Check[] = [];

  constructor(
    private readonly chapter: Chapter,
    private readonly stage: Stage,
  ) {}

  /** @returns all checks; the story ends early when a step fails on which the others rest */
  async tell(productId: string): Promise<Check[]> {
    const { user } = this.stage;
    const { from, to, name } = this.chapter;
    const shown = await user.parameters(productId, from);
    const all = shown.map(({ ParameterKey }) => ParameterKey);

    const launchWith = asked(this.chapter.launchWith, all);
    const launched = await user.launch(name, productId, from, launchWith);
    if (!this.expectDone('launched', `Launched in version ${from}`, launched)) return this.checks;
    const product = new LaunchedProduct(this.stage, launched.outputs, (id, title, faults) =>
      this.add(id, title, faults),
    );
    this.product = product;
    const before = await product.verifyServed('after the launch');

    const { refused, sizeFixed } = this.chapter;
    const [fixed] = Object.keys(refused);
    const change = `change of ${fixed}, which is fixed at launch,`;
    await this.expectRefusal('fixed', change, refused, `${fixed} from `, all);
    // Only where the type of the server can be chosen as well is there a rule for both.
    if (all.includes('ServerInstanceType') && all.includes('VolumeThroughput')) {
      const fast = { VolumeThroughput: '1000' };
      await this.expectRefusal('rule', 'faster volume than the server passes on', fast, 'need a server', all);
    }
    const size = sizeFixed ? undefined : Object.keys(SIZES).find((each) => all.includes(each));
    if (size) {
      const shrunk = { [size]: SIZES[size]!.shrunk };
      await this.expectRefusal('shrink', 'smaller size', shrunk, /shrink|smaller/, all);
    }
    await product.verifyServed('after the refusals', before);

    const changes = asked({ ...(size && { [size]: SIZES[size]!.grown }), GridProtected: 'false' }, all);
    const updated = await user.update(name, changes, all, to);
    if (!this.expectDone('updated', `Updated to version ${to}${size ? ', and grown' : ''}`, updated))
      return this.checks;
    this.add('available', 'The product is available', [...(await this.notAvailable())]);
    const after = await product.verifyServed('after the update', before);
    if (size) await product.verifyGrown(Number(SIZES[size]!.grown), after);

    const ended = await user.terminate(name);
    this.expectDone('terminated', 'Terminated', ended);
    await product.verifyKept(after);
    product.verifyEnd();
    return this.checks;
  }

  private expectDone(id: string, title: string, outcome: Outcome): boolean {
    this.add(id, `${title} in ${outcome.seconds.toFixed(0)} s`, outcome.succeeded ? [] : [outcome.reason]);
    return outcome.succeeded;
  }

  private async expectRefusal(
    id: string,
    what: string,
    changes: Parameters,
    reason: string | RegExp,
    all: readonly string[],
  ): Promise<void> {
    const outcome = await this.stage.user.update(this.chapter.name, changes, all);
    const because =
      typeof reason === 'string' ? outcome.reason.includes(reason) : reason.test(outcome.reason);
    this.add(
      `${id}-refused`,
      `A ${what} is refused with the reason`,
      !outcome.succeeded && because ? [] : [outcome.reason || 'it was accepted'],
    );
  }

  private async notAvailable(): Promise<string[]> {
    const status = await this.stage.user.status(this.chapter.name);
    return status === 'AVAILABLE' ? [] : [`it is ${status}`];
  }

  /** Whether a role is of this product. */
  owns(role: string): boolean {
    return this.product?.owns(role) ?? false;
  }

  private add(id: string, title: string, faults: string[]): void {
    const check = {
      id: `${this.chapter.name}-${id}`,
      title,
      passed: faults.length === 0,
      detail: faults.join('; '),
    };
    this.checks.push(check);
    this.stage.tell(
      `${check.passed ? 'ok  ' : 'FAIL'}  ${this.chapter.name}: ${title}${check.passed ? '' : `: ${check.detail}`}`,
    );
  }
}

/** The values of parameters that a product asks for. */
const asked = (values: Parameters, all: readonly string[]): Parameters =>
  Object.fromEntries(Object.entries(values).filter(([name]) => all.includes(name)));
