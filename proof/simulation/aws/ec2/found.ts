import { ServiceError } from '../errors';
import type { InstanceTruth, InterfaceTruth, VolumeTruth } from '../state';
import type { SimulatedEc2 } from './ec2';

/** The volume that a request names, or EC2's refusal. */
export function volumeOf(ec2: SimulatedEc2, id: string): VolumeTruth {
  const volume = ec2.volumes.get(id);
  if (volume !== undefined) return volume;
  throw new ServiceError('InvalidVolume.NotFound', `The volume '${id}' does not exist.`);
}

/** The interface that a request names, or EC2's refusal. */
export function interfaceOf(ec2: SimulatedEc2, id: string): InterfaceTruth {
  const found = ec2.interfaces.get(id);
  if (found !== undefined) return found;
  throw new ServiceError(
    'InvalidNetworkInterfaceID.NotFound',
    `The networkInterface ID '${id}' does not exist`,
  );
}

/** The instance that a request names, or EC2's refusal. */
export function instanceOf(ec2: SimulatedEc2, id: string): InstanceTruth {
  const instance = ec2.instances.get(id);
  if (instance !== undefined) return instance;
  throw new ServiceError('InvalidInstanceID.NotFound', `The instance ID '${id}' does not exist`);
}
