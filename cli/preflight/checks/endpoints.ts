import { type Check, type Finding, passed } from '../findings';
import type { Endpoint } from '../needs/needs';
import { zoneNames } from './zones';

/** The services that the network has endpoints for exist in its region and its zones. */
export const endpoints: Check = {
  name: 'endpoint services',
  run: async (subject) => {
    const { needs, aws } = subject;
    const services = [...new Set(needs.endpoints.map(({ service }) => service))];
    if (services.length === 0) return [passed('there are no endpoints')];
    const [found, zoneOf] = await Promise.all([aws.endpointServices(services), zoneNames(subject)]);
    const zonesOf = new Map(found.map(({ service, zones }) => [service, zones]));
    const problems = needs.endpoints.flatMap((endpoint) =>
      missing(endpoint, zonesOf.get(endpoint.service), endpoint.zones.map(zoneOf)),
    );
    return problems.length > 0 ? problems : [passed(services.join(', '))];
  },
};

function missing(
  { service, by, gateway }: Endpoint,
  offered: readonly string[] | undefined,
  zones: readonly (string | undefined)[],
): Finding[] {
  const fix = 'leave it out of the network in your application, or deploy in another region or zone';
  if (offered === undefined) {
    return [{ status: 'failed', text: `there is no endpoint service ${service} (${by})`, fix }];
  }
  if (gateway) return [];
  return zones
    .filter((zone) => zone !== undefined && !offered.includes(zone))
    .map((zone) => ({ status: 'failed', text: `${service} (${by}) is not in ${zone}`, fix }));
}
