import { AUTO_SCALING_KEY_ACTIONS } from '../../../constructs/facts/quotas';
import type { KeyInfo } from '../aws/port';
import { type Check, type Finding, passed, type Subject } from '../findings';
import type { UsedKey } from '../needs/needs';
import { allows, mayDeny } from './key-policy';
import { eachPart } from './parts';

/** Keys that exist already can be used, and let Auto Scaling launch what they encrypt. */
export const keys: Check = {
  name: 'keys',
  run: async (subject) => {
    const used = await usedKeys(subject);
    if (used.length === 0) return [passed('no key of yours is used: the stacks make theirs')];
    return eachPart(used, (one) => lookAt(one, subject));
  },
};

/** Those of the templates, and the account's own for volumes that name none. */
async function usedKeys({ needs, aws }: Subject): Promise<UsedKey[]> {
  const defaulted = needs.hosts.length > 0 ? await aws.defaultKey() : undefined;
  if (defaulted === undefined || needs.keys.some(({ arn }) => arn === defaulted)) return [...needs.keys];
  return [...needs.keys, { arn: defaulted, forGroups: needs.hosts.some(({ grouped }) => grouped) }];
}

async function lookAt({ arn, forGroups }: UsedKey, subject: Subject): Promise<Finding[]> {
  const { place } = subject.needs;
  const [, , , region, , , id] = arn.split(/[:/]/);
  if (region !== place.region) {
    const text = `${arn} is a key of another region than ${place.region}`;
    return [
      { status: 'failed', text, fix: 'name a key of that region in the configuration (encryptionKeyArn)' },
    ];
  }
  const key = await subject.aws.key(arn);
  if (!key) {
    const fix =
      'name another one in the configuration (encryptionKeyArn), or leave it out: the stacks make a key';
    return [{ status: 'failed', text: `the key ${arn} does not exist`, fix }];
  }
  const problems = [
    ...unusable(arn, id ?? arn, key, place.region),
    ...(forGroups ? unlaunchable(arn, key, subject) : []),
  ];
  return problems.length > 0
    ? problems
    : [passed(`${arn} can be used${forGroups ? ', also by Auto Scaling' : ''}`)];
}

function unusable(arn: string, id: string, { state, symmetric }: KeyInfo, region: string): Finding[] {
  if (!symmetric) {
    const fix = 'name a symmetric one in the configuration (encryptionKeyArn)';
    return [{ status: 'failed', text: `${arn} is no symmetric key, which EBS needs`, fix }];
  }
  if (state === 'Enabled') return [];
  const key = `--region ${region} --key-id ${id}`;
  const enable = `aws kms enable-key ${key}`;
  return [
    {
      status: 'failed',
      text: `the key ${arn} is ${state}`,
      fix: state === 'PendingDeletion' ? `aws kms cancel-key-deletion ${key} && ${enable}` : enable,
    },
  ];
}

/** The role of Auto Scaling has no rights on keys of customers by itself. */
function unlaunchable(arn: string, { policy, grants, managedBy }: KeyInfo, { needs }: Subject): Finding[] {
  const { account, partition, region } = needs.place;
  if (managedBy === 'AWS') return [];
  const path = 'role/aws-service-role/autoscaling.amazonaws.com/AWSServiceRoleForAutoScaling';
  const role = `arn:${partition}:iam::${account}:${path}`;
  const granted = new Set(
    grants
      .filter(({ grantee }) => grantee === role)
      .flatMap(({ operations }) => operations.map((one) => `kms:${one}`)),
  );
  const missing = AUTO_SCALING_KEY_ACTIONS.value.filter(
    (action) => !granted.has(action) && !allows(policy, { action, role, account }),
  );
  const unclear = AUTO_SCALING_KEY_ACTIONS.value.filter((action) =>
    mayDeny(policy, { action, role, account }),
  );
  if (missing.length === 0 && unclear.length > 0) {
    const text = `the policy of ${arn} denies ${unclear.join(', ')} under conditions that are not understood here`;
    return [{ status: 'unchecked', text: `could not be checked: ${text}` }];
  }
  if (missing.length === 0) return [];
  const operations = AUTO_SCALING_KEY_ACTIONS.value.map((action) => action.replace('kms:', '')).join(' ');
  return [
    {
      status: 'failed',
      text: `the policy of ${arn} does not let Auto Scaling launch hosts: ${missing.join(', ')}`,
      fix:
        `aws kms create-grant --region ${region} --key-id ${arn} --grantee-principal ${role} ` +
        `--operations ${operations}`,
    },
  ];
}
