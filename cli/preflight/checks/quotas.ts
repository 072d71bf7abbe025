import { consoleHost } from '../../../constructs/private/console';
import { type Check, type Finding, passed, type Subject } from '../findings';
import type { Demand } from './demand';
import { eachPart } from './parts';
import { storageDemands, vcpuDemands } from './quotas-of-machines';
import { networkDemands } from './quotas-of-networks';

/** What the templates need beside what others use is within the account's quotas. */
export const quotas: Check = {
  name: 'quotas',
  run: (subject) =>
    eachPart([vcpuDemands, storageDemands, networkDemands], async (demandsOf) =>
      eachPart(await demandsOf(subject), async (demand) => [await judged(demand, subject)]),
    ),
};

async function judged(demand: Demand, { aws, needs }: Subject): Promise<Finding> {
  const { quota, needed, used, unit } = demand;
  const { region } = needs.place;
  const value = await aws.quota(quota.service, quota.code);
  const sum = used + needed;
  const numbers =
    `${text(needed)} ${unit} needed, ${text(used)} in use beside it, of ${text(value)} ` +
    `(${quota.name}${demand.of ? `, ${demand.of}` : ''})`;
  if (sum <= value && demand.unknown) {
    return { status: 'unchecked', text: `could not be checked: ${numbers}, and what ${demand.unknown}` };
  }
  if (sum <= value) return passed(numbers);
  const desired = Math.ceil(sum);
  const host = consoleHost(region);
  return {
    status: 'failed',
    text: `${numbers}: ask for ${desired}`,
    fix:
      `aws service-quotas request-service-quota-increase --region ${region} --service-code ${quota.service} ` +
      `--quota-code ${quota.code} --desired-value ${desired}`,
    link: host && `https://${host}/servicequotas/home/services/${quota.service}/quotas/${quota.code}`,
  };
}

/** At most two digits after the point. */
const text = (value: number): string => String(Math.round(value * 100) / 100);
