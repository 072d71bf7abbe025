import {
  type CloudFormationClient,
  DescribeStacksCommand,
  paginateDescribeStackEvents,
  paginateListStackResources,
  type StackResourceSummary,
} from '@aws-sdk/client-cloudformation';
import {
  type CloudWatchClient,
  paginateDescribeAlarmHistory,
  paginateDescribeAlarms,
} from '@aws-sdk/client-cloudwatch';
import { type CloudWatchLogsClient, paginateFilterLogEvents } from '@aws-sdk/client-cloudwatch-logs';
import { type DynamoDBClient, paginateScan } from '@aws-sdk/client-dynamodb';
import { fromItem, type Plain } from '../shared/attributes';
import { errorName } from '../shared/log';
import { parseTier } from '../shared/map';
import { Newest } from './newest';
import type { FoundLog, FoundStack, SourcesPort, Taken } from './ports';
import { LOG_BYTES, LOG_MS, STACK_EVENTS } from './settings';

const NESTED = 'AWS::CloudFormation::Stack';
const LOG_GROUP = 'AWS::Logs::LogGroup';

export interface SourceClients {
  readonly cloudFormation: CloudFormationClient;
  readonly cloudWatch: CloudWatchClient;
  readonly logs: CloudWatchLogsClient;
  readonly dynamodb: DynamoDBClient;
}

/** What AWS knows of a deployment beside its hosts. */
export class AwsSources implements SourcesPort {
  constructor(
    private readonly clients: SourceClients,
    private readonly now: () => number,
  ) {}

  async stack(name: string): Promise<FoundStack | undefined> {
    const resources = await this.resources(name).catch((error: unknown) => {
      if (errorName(error) === 'ValidationError') return undefined;
      throw error;
    });
    const logs = resources?.flatMap(({ ResourceType, LogicalResourceId, PhysicalResourceId }): FoundLog[] =>
      ResourceType === LOG_GROUP && PhysicalResourceId
        ? [{ logicalId: LogicalResourceId!, group: PhysicalResourceId }]
        : [],
    );
    return logs && { name, logs };
  }

  async owners(table: string): Promise<ReadonlyMap<string, string>> {
    const { slots } = parseTier(await this.items(table));
    return new Map(slots.flatMap(({ owner, slot }) => (owner === undefined ? [] : [[owner, slot] as const])));
  }

  async rows(table: string): Promise<Taken> {
    const items = await this.items(table);
    const key = ({ tier, item }: { [key: string]: Plain }) => `${tier} ${item}`;
    return pretty(items.sort((a, b) => key(a).localeCompare(key(b))));
  }

  async stackStory(name: string): Promise<Taken> {
    const resources = await this.resources(name);
    const nested = resources.filter((one) => one.ResourceType === NESTED && one.PhysicalResourceId);
    const stacks = await Promise.all(
      [name, ...nested.map((one) => one.PhysicalResourceId!)].map((id) => this.story(id)),
    );
    return pretty({ stacks, resources });
  }

  async alarms(stacks: readonly string[], since: string): Promise<Taken> {
    const client = this.clients.cloudWatch;
    const alarms: unknown[] = [];
    const history: unknown[] = [];
    for (const stack of stacks)
      for await (const page of paginateDescribeAlarms({ client }, { AlarmNamePrefix: `${stack}-` })) {
        alarms.push(...(page.MetricAlarms ?? []), ...(page.CompositeAlarms ?? []));
        for (const { AlarmName } of [...(page.MetricAlarms ?? []), ...(page.CompositeAlarms ?? [])]) {
          const input = { AlarmName, StartDate: new Date(since), EndDate: new Date(this.now()) };
          for await (const { AlarmHistoryItems = [] } of paginateDescribeAlarmHistory({ client }, input))
            history.push(...AlarmHistoryItems);
        }
      }
    return pretty({ alarms, history });
  }

  async log(group: string, since: string): Promise<Taken> {
    const kept = new Newest(LOG_BYTES);
    const end = this.now() + LOG_MS;
    const input = { logGroupName: group, startTime: Date.parse(since), endTime: this.now() };
    let last = 0;
    for await (const { events = [] } of paginateFilterLogEvents({ client: this.clients.logs }, input)) {
      for (const { timestamp = 0, logStreamName = '', message = '' } of events) {
        last = timestamp;
        kept.add(`${new Date(timestamp).toISOString()} ${logStreamName} ${message.trimEnd()}\n`);
      }
      if (this.now() > end)
        return {
          text: kept.text(),
          remark: `read until ${new Date(last).toISOString()}: there was no more time`,
        };
    }
    return { text: kept.text(), remark: kept.cut ? `only the newest ${LOG_BYTES} bytes` : undefined };
  }

  private async items(table: string): Promise<{ [key: string]: Plain }[]> {
    const found: { [key: string]: Plain }[] = [];
    const input = { TableName: table, ConsistentRead: true };
    for await (const { Items = [] } of paginateScan({ client: this.clients.dynamodb }, input))
      found.push(...Items.map(fromItem));
    return found;
  }

  private async resources(stack: string): Promise<StackResourceSummary[]> {
    const client = this.clients.cloudFormation;
    const own: StackResourceSummary[] = [];
    for await (const page of paginateListStackResources({ client }, { StackName: stack }))
      own.push(...(page.StackResourceSummaries ?? []));
    const nested = own.filter((one) => one.ResourceType === NESTED && one.PhysicalResourceId);
    const inside = await Promise.all(nested.map((one) => this.resources(one.PhysicalResourceId!)));
    return [...own, ...inside.flat()];
  }

  private async story(name: string): Promise<object> {
    const client = this.clients.cloudFormation;
    const { Stacks } = await client.send(new DescribeStacksCommand({ StackName: name }));
    const events: unknown[] = [];
    for await (const page of paginateDescribeStackEvents({ client }, { StackName: name })) {
      // What was asked for is in the template; it makes the events long, and may name what is nobody's business.
      events.push(...(page.StackEvents ?? []).map(({ ResourceProperties, ...event }) => event));
      if (events.length >= STACK_EVENTS) break;
    }
    return { stack: Stacks?.[0], events: events.slice(0, STACK_EVENTS) };
  }
}

const pretty = (value: unknown): Taken => ({ text: `${JSON.stringify(value, undefined, 1)}\n` });
