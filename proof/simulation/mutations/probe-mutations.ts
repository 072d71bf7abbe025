import type { Mutation } from './mutation';

const prober = (file: string) => `lambda/health-prober/${file}.ts`;

const nodeHealth = (file: string) => `lambda/node-health/${file}.ts`;

/** Bugs in the probes of servers and of the nodes of a grid. */
export const PROBE_MUTATIONS: readonly Mutation[] = [
  {
    name: 'common-cause-ignored',
    bug: 'a server is replaced although all of them fail at once',
    edits: [
      { file: prober('judge'), find: 'if (missing + left > most)', replace: 'if (missing > most + asked)' },
    ],
  },
  {
    name: 'lost-path-counts',
    bug: 'a server that cannot be reached counts as one that does not serve',
    edits: [
      {
        file: prober('judge'),
        find: "return answer.is === 'fails' || (answer.is === 'silent' && spoke.length > 0);",
        replace: "return answer.is !== 'serves' && spoke.length >= 0;",
      },
    ],
  },
  {
    name: 'lost-path-ignored',
    bug: 'a server is replaced although most of the others cannot be reached',
    edits: [
      {
        file: prober('judge'),
        find: 'if (unknown > asked * UNKNOWN_SHARE)',
        replace: 'if (unknown > asked + UNKNOWN_SHARE)',
      },
    ],
  },
  {
    name: 'replaced-during-deployment',
    bug: 'a server is replaced whatever the stack is at',
    edits: [
      {
        file: prober('guards'),
        find: "if (stackStatus.endsWith('_IN_PROGRESS'))",
        replace: "if (stackStatus.endsWith('_IN_PROGRESS_'))",
      },
    ],
  },
  {
    name: 'replaced-during-repair',
    bug: 'a server is replaced while another slot has no server that serves',
    edits: [
      {
        file: prober('guards'),
        find: 'if (unserved) return',
        replace: 'if (unserved && slots.length === 0) return',
      },
    ],
  },
  {
    name: 'one-miss-counts',
    bug: 'a server is replaced after the first round that it missed',
    edits: [
      {
        file: prober('judge'),
        find: 'count.record.misses >= settings.misses',
        replace: 'count.record.misses >= Math.min(1, settings.misses)',
      },
    ],
  },
  {
    name: 'forgotten-slot-unknown',
    bug: 'a host that knows no slot any more, since its root volume was replaced, counts as unknown',
    edits: [{ file: prober('judge'), find: 'answer.slot === NO_SLOT', replace: 'answer.slot === row.owner' }],
  },
  {
    name: 'way-ignored',
    bug: "a server's own word that its answers leave by another interface counts as one of which nothing is known",
    edits: [
      {
        file: prober('aws-hosts'),
        find: "if (verdict === 'fails' && plugin?.ResponseCode === EXIT_FAILS) {",
        replace:
          "if (verdict === 'fails' && plugin?.ResponseCode === EXIT_FAILS && " +
          '!/answers from|has the address/.test(said)) {',
      },
    ],
  },
  {
    name: 'cut-off-unsaid',
    bug: 'what servers of a grid say for another reason hides that they cannot reach a file server',
    edits: [
      {
        file: nodeHealth('judge'),
        find: 'if (lost.length > 0) cutOff.push(told);',
        replace: 'if (lost.length > 1000) cutOff.push(told);',
      },
    ],
  },
  {
    name: 'network-replaces',
    bug: 'a server that the servers of a grid cannot reach is terminated',
    edits: [
      {
        file: nodeHealth('handler'),
        find: '  await ports.health.ask([...running.keys()]);\n',
        replace:
          '  await ports.health.ask([...running.keys()]);\n' +
          '  for (const { why } of judgement.cutOff) ' +
          "await (ports.servers as import('./aws').Ec2Servers).replace(why);\n",
      },
      {
        file: nodeHealth('aws'),
        find: "import { type EC2Client, paginateDescribeInstances } from '@aws-sdk/client-ec2';",
        replace:
          'import { DescribeNetworkInterfacesCommand, type EC2Client, paginateDescribeInstances, ' +
          "TerminateInstancesCommand } from '@aws-sdk/client-ec2';",
      },
      {
        file: nodeHealth('aws'),
        find: '  async running(',
        replace: [
          '  async replace(why: string): Promise<void> {',
          '    const Values = [...why.matchAll(/([0-9.]+)@tcp/g)].map(([, address]) => address!);',
          "    const Filters = [{ Name: 'addresses.private-ip-address', Values }];",
          '    const asked = new DescribeNetworkInterfacesCommand({ Filters });',
          '    const { NetworkInterfaces = [] } = await this.client.send(asked);',
          '    const InstanceIds = NetworkInterfaces.flatMap(({ Attachment }) => Attachment?.InstanceId ?? []);',
          '    await this.client.send(new TerminateInstancesCommand({ InstanceIds }));',
          '  }',
          '',
          '  async running(',
        ].join('\n'),
      },
    ],
  },
  {
    name: 'no-pause',
    bug: 'a second server is replaced as soon as it has missed its rounds',
    edits: [
      {
        file: prober('guards'),
        find: 'if (last && !(now - Date.parse(last.at) > PAUSE_MS)) {',
        replace: 'if (last && !(now - Date.parse(last.at) > PAUSE_MS / 1000)) {',
      },
    ],
  },
];
