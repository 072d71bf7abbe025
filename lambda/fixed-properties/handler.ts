import { type AnswerPort, addressOf, answer, type Handled } from '../shared/answer';
import { describeError, type Log } from '../shared/log';
import { changesOf, recordOf, type Values } from './record';

export interface Ports {
  readonly log: Log;
  readonly answers: AnswerPort;
}

/** The type of the resource, in templates and in the requests of CloudFormation. */
const FIXED_VALUES = 'Custom::SasGridFixedValues';

/** Whether an event is of such a resource, where a function serves others as well. */
export const isFixedValues = (event: unknown): boolean =>
  typeof event === 'object' &&
  event !== null &&
  (event as { ResourceType?: unknown }).ResourceType === FIXED_VALUES;

/** Refuses an update that changes what must never change. Throws only if the answer cannot be delivered. */
export async function handle(event: unknown, ports: Ports): Promise<Handled> {
  const address = addressOf(event);
  if (typeof address === 'string') {
    ports.log.error('event ignored', { reason: address });
    return { did: 'ignored' };
  }
  const { RequestType, ResourceProperties, OldResourceProperties } = event as Record<string, unknown>;
  if (RequestType === 'Delete') return answer(address, true, 'nothing is to be deleted', ports);
  try {
    const values = valuesOf(ResourceProperties);
    const changed = RequestType === 'Update' ? changesOf(address.PhysicalResourceId, values) : [];
    if (changed.length > 0)
      throw new Error(refusal(changed, values, OldResourceProperties, ResourceProperties));
    return await answer(
      { ...address, PhysicalResourceId: recordOf(values) },
      true,
      'as it was deployed',
      ports,
    );
  } catch (error) {
    ports.log.error('request failed', { request: RequestType, error: describeError(error) });
    return answer(address, false, error instanceof Error ? error.message : String(error), ports);
  }
}

function refusal(changed: string[], values: Values, before: unknown, now: unknown): string {
  const old = tryValuesOf(before);
  const each = changed.map((name) => `${name} from ${show(old?.[name])} to ${show(values[name])}`);
  const fix = (now as { Fix?: unknown }).Fix;
  return `This cannot change: ${each.join('; ')}. ${typeof fix === 'string' ? fix : ''}`.trimEnd();
}

const show = (value: string | readonly string[] | undefined): string =>
  value === undefined ? 'what was deployed' : typeof value === 'string' ? value : value.join(', ');

function tryValuesOf(value: unknown): Values | undefined {
  try {
    return valuesOf(value);
  } catch {
    return undefined;
  }
}

/** CloudFormation hands all values over as text, or lists of text. */
function valuesOf(properties: unknown): Values {
  const values = (properties as { Values?: unknown } | undefined)?.Values;
  if (typeof values !== 'object' || values === null) throw new Error('Values is not an object');
  for (const [name, value] of Object.entries(values)) {
    const text = (each: unknown) => typeof each === 'string';
    if (/^[A-Za-z0-9]+$/.test(name) && (text(value) || (Array.isArray(value) && value.every(text)))) continue;
    throw new Error(`Values.${name} is ${JSON.stringify(value)}; it must be text, or a list of texts`);
  }
  return values as Values;
}
