import { overlaps, parseCidr } from '../../../constructs/grid-network/cidr';
import { handle } from '../../../lambda/address-reservation/handler';
import type { Ports, Reservation, ReservationsPort, Wanted } from '../../../lambda/address-reservation/ports';

export const PROPERTIES = { SubnetId: 'subnet-1', Cidr: '10.0.1.64/26', Description: 'Fixed addresses' };

/** What CloudFormation's own type has made. */
export const NATIVE: Reservation = {
  id: 'scr-native',
  cidr: PROPERTIES.Cidr,
  kind: 'explicit',
  description: PROPERTIES.Description,
  tags: {},
};

const refused = (name: string, text: string) => Object.assign(new Error(text), { name });

/** EC2's reservations of one subnet, and CloudFormation's side of one custom resource. */
export class FakeEc2 implements ReservationsPort {
  reservations: Reservation[] = [];
  /** The next lists that are older than what happened meanwhile. */
  staleLists = 0;
  /** How long the function's role may do nothing, milliseconds. */
  forbiddenFor = 0;
  /** The next creations that take place, and whose answer gets lost. */
  lostAnswers = 0;
  slept = 0;
  readonly calls: string[] = [];
  private before: Reservation[] = [];
  private made = 0;

  async list(): Promise<readonly Reservation[]> {
    this.requirePermission();
    if (this.staleLists-- > 0) return this.before;
    this.before = [...this.reservations];
    return this.before;
  }

  async create({ cidr, description }: Wanted, tags: { readonly [key: string]: string }): Promise<string> {
    this.requirePermission();
    const other = this.reservations.find((each) => overlaps(parseCidr(each.cidr)!, parseCidr(cidr)!));
    if (other) throw refused('SomeConflict', `${cidr} overlaps ${other.id}`);
    const id = `scr-${++this.made}`;
    this.calls.push(`create ${id}`);
    this.reservations = [...this.reservations, { id, cidr, kind: 'explicit', description, tags }];
    if (this.lostAnswers-- > 0) throw refused('TimeoutError', 'no answer');
    return id;
  }

  async delete(id: string): Promise<void> {
    this.requirePermission();
    this.calls.push(`delete ${id}`);
    this.reservations = this.reservations.filter((each) => each.id !== id);
  }

  /** One request, and the answer to it. */
  async ask(RequestType: string, more: { PhysicalResourceId?: string; properties?: object } = {}) {
    const bodies: string[] = [];
    const event = {
      RequestType,
      ResponseURL: 'https://answers.example/1',
      StackId: 'stack/one',
      RequestId: 'request',
      LogicalResourceId: 'Range1',
      PhysicalResourceId: more.PhysicalResourceId,
      ResourceProperties: { ServiceToken: 'arn', ...(more.properties ?? PROPERTIES) },
    };
    const ports: Ports = {
      reservations: this,
      answers: { put: async (_url, body) => void bodies.push(body) },
      log: { info: () => undefined, error: () => undefined, metrics: () => undefined },
      timer: {
        now: () => this.slept,
        sleep: async (milliseconds) => {
          this.slept += milliseconds;
        },
      },
    };
    await handle(event, ports);
    return JSON.parse(bodies[0]!) as { Status: string; Reason: string; PhysicalResourceId: string };
  }

  private requirePermission(): void {
    if (this.slept < this.forbiddenFor) throw refused('UnauthorizedOperation', 'not authorized');
  }
}
