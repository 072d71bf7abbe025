import type { Fact } from '../sizing/facts';

// What the operations of a deployment cost besides what constructs/sizing/data/benchmark-prices.ts has: on demand,
// us-east-1, without free tiers. Figures of third parties that agree; the pages of AWS show theirs to browsers only.

/** An alarm of one metric, whose periods are a minute or longer. */
export const ALARM_MONTH: Fact<number> = {
  value: 0.1,
  unit: 'USD a month for an alarm',
  source: {
    title: 'Amazon CloudWatch pricing: standard resolution alarm metrics',
    reference: 'https://aws.amazon.com/cloudwatch/pricing/',
    checked: '2026-11-28',
    review: '2027-02-28',
    unverified: true,
  },
};

/** What a schedule costs when it is due. */
export const SCHEDULE_DUE: Fact<number> = {
  value: 1 / 1e6,
  unit: 'USD for an invocation by EventBridge Scheduler',
  source: {
    title: 'Amazon EventBridge pricing: Scheduler',
    reference: 'https://aws.amazon.com/eventbridge/pricing/',
    checked: '2026-11-28',
    review: '2027-02-28',
    unverified: true,
  },
};

/** A NAT gateway, without what goes through it. */
export const NAT_GATEWAY_HOUR: Fact<number> = {
  value: 0.045,
  unit: 'USD an hour for a NAT gateway',
  source: {
    title: 'Amazon VPC pricing: NAT gateway',
    reference: 'https://aws.amazon.com/vpc/pricing/',
    checked: '2026-11-28',
    review: '2027-02-28',
    unverified: true,
  },
};

/** A key that a deployment makes. */
export const KEY_MONTH: Fact<number> = {
  value: 1,
  unit: 'USD a month for a customer managed key',
  source: {
    title: 'AWS KMS pricing: key storage',
    reference: 'https://aws.amazon.com/kms/pricing/',
    checked: '2026-11-28',
    review: '2027-02-28',
    unverified: true,
  },
};
