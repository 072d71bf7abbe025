import { makeClients } from './clients';
import { machinesOf } from './ec2';
import { networksOf } from './networks';
import { othersOf } from './others';
import type { Aws } from './port';

/** AWS itself, in a region, with the caller's credentials. */
export function awsOf(region: string): Aws {
  const clients = makeClients(region);
  return { ...machinesOf(clients.ec2), ...networksOf(clients.ec2), ...othersOf(clients) };
}
