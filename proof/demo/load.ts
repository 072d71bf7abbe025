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
import json, sys
path, notes = sys.argv[1:]
times = [float(line.split()[1]) for line in open(notes).read().split('\\n')[:-1]]
there = open(path).read().split('\\n')[:-1]
right = 0
while right < len(there) and there[right] == str(right):
    right += 1
stall = max(range(1, len(times)), key=lambda at: times[at] - times[at - 1], default=0)
print(json.dumps({
    'acknowledged': len(times), 'there': right, 'torn': len(there) - right,
    'stopped': times[stall - 1] if stall else 0, 'wentOn': times[stall] if stall else 0,
}))
`;

interface Judged {
  readonly acknowledged: number;
  readonly there: number;
  readonly torn: number;
  readonly stopped: number;
  readonly wentOn: number;
}

/** Programs on clients that write to the shared file system all the time, so that a lost write shows. */
export class Load {
  private constructor(
    private readonly ssm: SSMClient,
    private readonly clients: readonly string[],
    /** Where the shared file system is. */
    private readonly directory: string,
    private readonly run: string,
    /** Seconds by which this machine's clock is ahead of a client's. */
    private readonly ahead: Record<string, number>,
  ) {}

  /**
   * Starts a writer on each client, and returns when all write.
   * @param directories where each client has the shared file system, the same directory on all
   */
  static async start(ssm: SSMClient, directories: Readonly<Record<string, string>>): Promise<Load> {
    const [clients, [directory]] = [Object.keys(directories), new Set(Object.values(directories))];
    if (!directory) throw new DemoError('no host has a shared file system mounted');
    const clocks = await runOnHosts(ssm, [...clients], ['date +%s.%N']);
    const now = Date.now() / 1000;
    const ahead = Object.fromEntries(Object.entries(clocks).map(([id, text]) => [id, now - Number(text)]));
    const load = new Load(ssm, clients, directory, `${Math.round(now)}`, ahead);
    await runOnHosts(ssm, [...clients], load.startScript());
    await load.goesOn();
    return load;
  }

  /** Waits until each client has written again from now on. */
  async goesOn(): Promise<void> {
    const before = await this.counts();
    await waitFor(
      'the clients to write',
      async () => {
        const now = await this.counts();
        return this.clients.every((id) => now[id]! >= before[id]! + ENOUGH) ? true : undefined;
      },
      LOOK_EVERY_SECONDS,
    );
  }

  /**
   * Ends the writers, and looks what is there.
   * @param failed when the server failed, in seconds since 1970
   */
  async end(failed: number): Promise<ClientView[]> {
    const { folder, file, notes, stop } = this.names();
    const answers = await runOnHosts(
      this.ssm,
      [...this.clients],
      [
        `touch ${stop}`,
        `while systemctl is-active --quiet ${UNIT}-${this.run}; do sleep 0.2; done`,
        `python3 - ${file} ${notes} <<'END'${JUDGE}END`,
        `rm -r ${folder}`,
      ],
    );
    return Object.entries(answers).map(([instance, text]) => {
      const { acknowledged, there, torn, stopped, wentOn } = JSON.parse(text) as Judged;
      const since = (time: number) => time + this.ahead[instance]! - failed;
      const lost = Math.max(0, acknowledged - there);
      // A write that was under way may be there unacknowledged; anything more is not what was written.
      const strange = torn + Math.max(0, there - acknowledged - 1);
      return { instance, acknowledged, lost, strange, stopped: since(stopped), wroteAgain: since(wentOn) };
    });
  }

  private names() {
    // A folder of its own: in a sticky one of another user, as an export is, root of a client may create and not open.
    const folder = `${this.directory}/.sas-grid-demo-$(hostname)-${this.run}`;
    return {
      folder,
      file: `${folder}/numbers`,
      notes: `${FOLDER}/notes-${this.run}`,
      stop: `${FOLDER}/stop-${this.run}`,
    };
  }

  private startScript(): string[] {
    const { folder, file, notes, stop } = this.names();
    return [
      `mkdir -p ${FOLDER} ${folder}`,
      `cat >${FOLDER}/writer.py <<'END'${WRITER}END`,
      `systemd-run --quiet --unit=${UNIT}-${this.run} python3 ${FOLDER}/writer.py ${file} ${notes} ${stop}`,
    ];
  }

  private async counts(): Promise<Record<string, number>> {
    const { notes } = this.names();
    const answers = await runOnHosts(this.ssm, [...this.clients], [`cat ${notes} 2>/dev/null | wc -l`]);
    return Object.fromEntries(Object.entries(answers).map(([id, text]) => [id, Number(text)]));
  }
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
