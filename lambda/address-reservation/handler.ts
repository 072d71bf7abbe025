import { addressOf, answer, type Handled } from '../shared/answer';
import { describeError } from '../shared/log';
import { untilPermitted } from '../shared/permitted';
import type { Ports, Wanted } from './ports';
import { release, reserve } from './reserve';

/**
 * Serves CloudFormation. The physical id is that of the reservation: another range is another one, and CloudFormation
 * then deletes the one before. Throws only if the answer cannot be delivered.
 */
export async function handle(event: unknown, ports: Ports): Promise<Handled> {
  const address = addressOf(event);
  if (typeof address === 'string') {
    ports.log.error('event ignored', { reason: address });
    return { did: 'ignored' };
  }
  const { RequestType: request, ResourceProperties } = event as Record<string, unknown>;
  const { PhysicalResourceId: before, StackId: stackId, LogicalResourceId: logicalId } = address;
  const permitted = <T>(what: () => Promise<T>): Promise<T> => untilPermitted(what, ports.timer, ports.log);
  try {
    if (request === 'Delete') {
      await permitted(() => remove(before, ResourceProperties, { stackId, logicalId }, ports));
      return await answer(address, true, 'the reservation is gone', ports);
    }
    const wanted = wantedOf(ResourceProperties);
    const old = request === 'Update' ? before : undefined;
    const id = await permitted(() => reserve(wanted, { stackId, logicalId }, old, ports));
    return await answer({ ...address, PhysicalResourceId: id }, true, `${wanted.cidr} is reserved`, ports);
  } catch (error) {
    ports.log.error('request failed', { request, error: describeError(error) });
    return answer(address, false, error instanceof Error ? error.message : String(error), ports);
  }
}

/** A creation that failed has no reservation's id, but may have made one. */
async function remove(
  id: string,
  properties: unknown,
  owner: { readonly stackId: string; readonly logicalId: string },
  ports: Ports,
): Promise<void> {
  if (id.startsWith('scr-')) return ports.reservations.delete(id);
  return release(wantedOf(properties).subnetId, owner, ports);
}

function wantedOf(properties: unknown): Wanted {
  const { SubnetId, Cidr, Description } = (properties ?? {}) as Record<string, unknown>;
  for (const [name, value] of Object.entries({ SubnetId, Cidr, Description })) {
    if (typeof value !== 'string' || value === '')
      throw new Error(`${name} is ${JSON.stringify(value)}; it must be text`);
  }
  return { subnetId: String(SubnetId), cidr: String(Cidr), description: String(Description) };
}
