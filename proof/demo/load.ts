import type { SSMClient } from '@aws-sdk/client-ssm';
import type { Check } from '../kit/model';
import { DemoError, waitFor } from '../kit/processes';
import type { ClientView } from '../kit/report';
import { runOnHosts } from './hosts';

/** Where a client's program and its notes are, on its root disk. */
const FOLDER = '/var/lib/sas-grid-demo';
const UNIT = 'sas-grid-demo-load';
const LOOK_EVERY_SECONDS = 2;
/** Writes after the failure until a client counts as writing again. */
const ENOUGH = 3;

/** Writes numbers, each with fsync, and notes which were acknowledged, and when. */
const WRITER = `
import os, sys, time
path, notes, stop = sys.argv[1:]
data = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
number = 0
with open(notes, 'w') as log:
    while not os.path.exists(stop):
        os.write(data, b'%d\\n' % number)
        os.fsync(data)
        print(number, time.time(), file=log, flush=True)
        number += 1
        time.sleep(0.1)
`;

/** Prints how many writes were acknowledged, how many of them are there, and between which two was the longest wait. */
const JUDGE = `
import json, os, sys
path, notes = sys.argv[1:]
noted = open(notes).read().split('\\n')[:-1] if os.path.exists(notes) else []
times = [float(line.split()[1]) for line in noted]
there = open(path).read().split('\\n')[:-1]
right = 0
while right < len(there) and there[right] == str(right):
    right += 1
stall = max(range(1, len(times)), key=lambda at: times[at] - times[at - 1], default=0)
print(json.dumps({
    'acknowledged': len(times), 'there': right, 'torn': len(there) - right, 'first': times[0] if times else 0,
    'stopped': times[stall - 1] if stall else 0, 'wentOn': times[stall] if stall else 0,
}))
`;

interface Judged {
  readonly acknowledged: number;
  readonly there: number;
  readonly torn: number;
  readonly first: number;
  readonly stopped: number;
  readonly wentOn: number;
}

/** What a host wrote that is gone: who found it, and what was acknowledged when somebody last looked. */
interface Orphan {
  readonly writer: string;
  readonly heir: string;
  readonly acknowledged: number;
  readonly seen: number;
}

/** Programs on clients that write to the shared file system all the time, so that a lost write shows. */
export class Load {
  private readonly orphans: Orphan[] = [];
  /** Acknowledged writes when somebody last looked, and when that was. */
  private told: Record<string, number> = {};
  private looked = 0;
  /** Seconds by which this machine's clock is ahead of a client's. */
  private readonly ahead: Record<string, number> = {};

  private constructor(
    private readonly ssm: SSMClient,
    private clients: readonly string[],
    /** Where the shared file system is. */
    private readonly directory: string,
    private readonly run: string,
  ) {}

  /**
   * Starts a writer on each client, and returns when all write.
   * @param directories where each client has the shared file system, the same directory on all
   */
  static async start(ssm: SSMClient, directories: Readonly<Record<string, string>>): Promise<Load> {
    const [clients, [directory]] = [Object.keys(directories), new Set(Object.values(directories))];
    if (!directory) throw new DemoError('no host has a shared file system mounted');
    const load = new Load(ssm, clients, directory, String(Math.round(Date.now() / 1000)));
    await load.startOn(clients);
    await load.goesOn();
    return load;
  }

  /** Waits until each client has written again from now on. */
  async goesOn(): Promise<void> {
    const before = await this.look();
    await waitFor(
      'the clients to write',
      async () => {
        const now = await this.look();
        return this.clients.every((id) => now[id]! >= before[id]! + ENOUGH) ? true : undefined;
      },
      LOOK_EVERY_SECONDS,
    );
  }

  /** A client is gone, and another host has its file system: it goes on, in a file of its own. */
  async inherit(gone: string, heir: string): Promise<void> {
    if (!this.clients.includes(gone)) return;
    this.clients = this.clients.filter((id) => id !== gone).concat(heir);
    this.orphans.push({ writer: gone, heir, acknowledged: this.told[gone] ?? 0, seen: this.looked });
    await this.startOn([heir]);
  }

  /**
   * Ends the writers, and looks what is there.
   * @param failed when the server failed, in seconds since 1970
   */
  async end(failed: number): Promise<ClientView[]> {
    return Promise.all(
      this.clients.map(async (instance) => {
        const own = await this.judge(instance, instance);
        const since = (time: number) => time + this.ahead[instance]! - failed;
        const orphan = this.orphans.find(({ heir }) => heir === instance);
        const ends = { stopped: since(own.stopped), wroteAgain: since(own.wentOn) };
        if (!orphan) return { instance, ...wrongIn(own), ...ends };
        const { acknowledged, seen } = orphan;
        const before = wrongIn({ ...(await this.judge(instance, orphan.writer)), acknowledged });
        const now = wrongIn(own);
        return {
          instance,
          acknowledged: before.acknowledged + now.acknowledged,
          lost: before.lost + now.lost,
          // What the host that is gone wrote after the last look is not known.
          strange: now.strange,
          stopped: seen - failed,
          wroteAgain: since(own.first),
        };
      }),
    );
  }

  private async judge(instance: string, writer: string): Promise<Judged> {
    const { folder, file, notes, stop } = this.names(writer);
    const script = [
      `touch ${stop}`,
      `while systemctl is-active --quiet ${UNIT}-${this.run}; do sleep 0.2; done`,
      `python3 - ${file} ${notes} <<'END'${JUDGE}END`,
      `rm -r ${folder}`,
    ];
    const { [instance]: text = '' } = await runOnHosts(this.ssm, [instance], script);
    return JSON.parse(text) as Judged;
  }

  private names(writer: string) {
    // A folder of its own: in a sticky one of another user, as an export is, root of a client may create and not open.
    const folder = `${this.directory}/.sas-grid-demo-${writer}-${this.run}`;
    const own = `${FOLDER}/${writer}-${this.run}`;
    return { folder, file: `${folder}/numbers`, notes: `${own}.notes`, stop: `${own}.stop` };
  }

  private async startOn(clients: readonly string[]): Promise<void> {
    await Promise.all(
      clients.map(async (client) => {
        const { folder, file, notes, stop } = this.names(client);
        const { [client]: clock } = await runOnHosts(
          this.ssm,
          [client],
          [
            `mkdir -p ${FOLDER} ${folder}`,
            `cat >${FOLDER}/writer.py <<'END'${WRITER}END`,
            `systemd-run --quiet --unit=${UNIT}-${this.run} python3 ${FOLDER}/writer.py ${file} ${notes} ${stop}`,
            'date +%s.%N',
          ],
        );
        this.ahead[client] = Date.now() / 1000 - Number(clock);
      }),
    );
  }

  private async look(): Promise<Record<string, number>> {
    const counted = await Promise.all(
      this.clients.map(async (client) => {
        const script = [`cat ${this.names(client).notes} 2>/dev/null | wc -l`];
        const { [client]: text } = await runOnHosts(this.ssm, [client], script);
        return [client, Number(text)] as const;
      }),
    );
    this.looked = Date.now() / 1000;
    this.told = Object.fromEntries(counted);
    return this.told;
  }
}

/** A write that was under way may be there unacknowledged; anything more is not what was written. */
function wrongIn({ acknowledged, there, torn }: Judged) {
  const lost = Math.max(0, acknowledged - there);
  return { acknowledged, lost, strange: torn + Math.max(0, there - acknowledged - 1) };
}

/** What clients must have seen of a failure. */
export function clientChecks(views: readonly ClientView[]): Check[] {
  const written = views.reduce((sum, { acknowledged }) => sum + acknowledged, 0);
  const wrong = views.flatMap(({ instance, acknowledged, lost, strange }) => [
    ...(acknowledged === 0 ? [`${instance} wrote nothing`] : []),
    ...(lost > 0 ? [`${instance}: ${lost} of ${acknowledged} acknowledged writes are not there`] : []),
    ...(strange > 0 ? [`${instance}: ${strange} lines are there that it did not write`] : []),
  ]);
  const detail = wrong.length ? wrong.join('; ') : `${written} writes by ${views.length} clients`;
  return [
    { id: 'no-write-lost', title: 'Every acknowledged write is there', passed: wrong.length === 0, detail },
  ];
}
