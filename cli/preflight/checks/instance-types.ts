import type { Offering } from '../aws/port';
import { type Check, type Finding, passed, type Subject } from '../findings';
import type { Hosts } from '../needs/needs';
import { zoneNames } from './zones';

/** Each type is offered in the zone of its hosts. */
export const instanceTypes: Check = {
  name: 'instance types',
  run: async (subject) => {
    const { needs, aws } = subject;
    const types = [...new Set(needs.hosts.flatMap(({ type }) => type ?? []))];
    if (types.length === 0) return [passed('there are no hosts')];
    const [offered, zoneOf] = await Promise.all([aws.offerings(types), zoneNames(subject)]);
    const seen = new Set<string>();
    return needs.hosts.flatMap((hosts) => {
      const zone = zoneOf(hosts.zone);
      const key = `${hosts.type} ${zone}`;
      if (seen.has(key)) return [];
      seen.add(key);
      return [offeredIn(hosts, zone, offered, subject)];
    });
  },
};

function offeredIn(
  { by, type, count }: Hosts,
  zone: string | undefined,
  offered: readonly Offering[],
  subject: Subject,
): Finding {
  if (type === undefined) {
    return { status: 'unchecked', text: `${by}: the type could not be checked: it is known at deployment` };
  }
  const zones = [...new Set(offered.filter((one) => one.type === type).map((one) => one.zone))].sort();
  const { region } = subject.needs.place;
  if (zones.length === 0) {
    return {
      status: count > 0 ? 'failed' : 'warning',
      text: `${type} (${by}) is not offered in ${region}`,
      fix: `choose another type: aws ec2 describe-instance-type-offerings --region ${region} --output text`,
    };
  }
  if (zone === undefined) {
    const text = `${type} (${by}): the zone could not be checked: it is known at deployment`;
    return { status: 'unchecked', text, fix: `choose one of ${zones.join(', ')}` };
  }
  if (zones.includes(zone)) return passed(`${type} is offered in ${zone}`);
  return {
    // Of types that take the place of another one, one is enough.
    status: count > 0 ? 'failed' : 'warning',
    text: `${type} (${by}) is not offered in ${zone}`,
    fix: `network.availabilityZone: ${zones.join(' or ')} in ${subject.configuration ?? 'the configuration'}`,
  };
}
