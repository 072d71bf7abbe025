import { describeError, type Log } from '../shared/log';
import { type AnswerAddress, addressOf, isObject } from '../volume-map-resource/request';
import { changes, identityOf, type Values, valuesOf } from './domain';

/** The way back to CloudFormation. */
export interface AnswerPort {
  put(url: string, body: string): Promise<void>;
}

export interface Ports {
  readonly log: Log;
  readonly answers: AnswerPort;
}

/** What the function did, for its log. */
export interface Handled {
  readonly did: 'answered' | 'ignored';
  readonly status?: 'SUCCESS' | 'FAILED';
}

const HELP =
  'Changing it would make CloudFormation replace what holds data, or what the hosts know by its address. ' +
  'Give the value of the launch again, or launch another product and copy the data.';

/**
 * Serves CloudFormation: refuses an update that changes what is fixed at launch, before anything of the stack is touched. Throws only if an
 * answer cannot be delivered.
 */
export async function handle(event: unknown, ports: Ports): Promise<Handled> {
  const address = addressOf(event);
  if (typeof address === 'string' || !isObject(event)) {
    ports.log.error('event ignored', { reason: String(address) });
    return { did: 'ignored' };
  }
  try {
    return await answer(address, 'SUCCESS', 'nothing that is fixed changes', identityAfter(event), ports);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    ports.log.error('refused', { request: String(event.RequestType), error: describeError(error) });
    return answer(address, 'FAILED', reason, address.PhysicalResourceId, ports);
  }
}

/** The physical id from now on; throws when the change is refused. */
function identityAfter(event: Record<string, unknown>): string {
  const before = typeof event.PhysicalResourceId === 'string' ? event.PhysicalResourceId : '';
  // It holds nothing: there is nothing to delete, and nothing to refuse.
  if (event.RequestType === 'Delete') return before;
  const wanted = fixedValues(event.ResourceProperties);
  const launched = event.RequestType === 'Update' ? valuesOf(before) : undefined;
  const found = launched ? changes(launched, wanted) : [];
  if (found.length > 0) throw new Error(`${found.join('; ')}. ${HELP}`);
  return identityOf(wanted);
}

function fixedValues(properties: unknown): Values {
  const fixed = isObject(properties) ? properties.Fixed : undefined;
  if (!isObject(fixed))
    throw new Error('Fixed is missing: the values that are fixed at launch, by parameter');
  return Object.fromEntries(Object.entries(fixed).map(([name, value]) => [name, String(value)]));
}

async function answer(
  { ResponseURL, StackId, RequestId, LogicalResourceId }: AnswerAddress,
  status: 'SUCCESS' | 'FAILED',
  reason: string,
  PhysicalResourceId: string,
  ports: Ports,
): Promise<Handled> {
  const body = {
    Status: status,
    Reason: reason.slice(0, 1500),
    PhysicalResourceId,
    StackId,
    RequestId,
    LogicalResourceId,
  };
  await ports.answers.put(ResponseURL, JSON.stringify(body));
  ports.log.info('answered', { status, reason: body.Reason });
  return { did: 'answered', status };
}
