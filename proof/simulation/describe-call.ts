import { fromItem, type Plain } from '../../lambda/shared/attributes';
import type { Call } from './aws/call';

type Item = Parameters<typeof fromItem>[0];

/** The parts of DynamoDB's inputs that tell what happens. */
interface Write {
  readonly Key?: Item;
  readonly Item?: Item;
  readonly UpdateExpression?: string;
  readonly ConditionExpression?: string;
  readonly ExpressionAttributeNames?: { readonly [alias: string]: string };
  readonly ExpressionAttributeValues?: Item;
}

const LOOKS = /^(Describe|Query$|GetCommandInvocation)/;

/** Names that are the same in every call of a run. */
const CONSTANT = [
  'TableName',
  'AutoScalingGroupName',
  'DocumentName',
  'stateMachineArn',
  'ClientRequestToken',
];

const MAX_TEXT = 300;

/** Whether a call only looks, or renews the right to. */
export function isLook(call: Call): boolean {
  if (LOOKS.test(call.operation)) return true;
  return call.operation === 'UpdateItem' && /holder/.test((call.input as Write).UpdateExpression ?? '');
}

/** A call in a line: what it does and to what. */
export function describeCall(call: Call): string {
  const input = call.input as { readonly [name: string]: unknown };
  if (call.operation === 'UpdateItem' || call.operation === 'PutItem') {
    return `${call.operation} ${describeWrite(input)}`;
  }
  if (call.operation === 'TransactWriteItems') {
    const items = input.TransactItems as { readonly [kind: string]: Write }[];
    const parts = items.flatMap((item) =>
      Object.entries(item).map(([kind, write]) => `${kind} ${describeWrite(write)}`),
    );
    return `TransactWriteItems ${parts.join('; ')}`;
  }
  const told = Object.entries(input).filter(([name]) => !CONSTANT.includes(name));
  const text = told.map(
    ([name, value]) => `${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  return `${call.operation} ${text.join(', ')}`.slice(0, MAX_TEXT);
}

function describeWrite(write: Write): string {
  const key = fromItem(write.Key ?? write.Item ?? {}).item;
  const values = fromItem(write.ExpressionAttributeValues ?? {});
  const names = write.ExpressionAttributeNames ?? {};
  const fill = (expression: string): string =>
    expression
      .replace(/#\w+/g, (alias) => names[alias] ?? alias)
      .replace(/:\w+/g, (name) => show(values[name]));
  const update = write.Item ? show(fromItem(write.Item)) : fill(write.UpdateExpression ?? '');
  const condition = write.ConditionExpression ? ` if ${fill(write.ConditionExpression)}` : '';
  // The timeline says when, which the line does already.
  return `${key}: ${update.replace(/,? ?timeline = \{[^}]*\}/, '').slice(0, MAX_TEXT)}${condition}`;
}

const show = (value: Plain | undefined): string =>
  typeof value === 'string' ? value : JSON.stringify(value ?? null);
