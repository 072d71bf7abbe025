import type { Source } from '../facts';

/** Where the prices come from: on demand, us-east-1, without free tiers. */
export const BENCHMARK_PRICE_SOURCES: readonly Source[] = [
  {
    title: 'AWS Step Functions pricing: state transitions of standard workflows',
    reference: 'https://aws.amazon.com/step-functions/pricing/',
    checked: '2026-11-22',
  },
  {
    title: 'AWS Lambda pricing: Arm, requests and GB-seconds',
    reference: 'https://aws.amazon.com/lambda/pricing/',
    checked: '2026-11-22',
  },
  {
    title: 'Amazon S3 pricing: Standard, requests and storage',
    reference: 'https://aws.amazon.com/s3/pricing/',
    checked: '2026-11-22',
  },
  {
    title: 'Amazon CloudWatch pricing: custom metrics, dashboards, logs',
    reference: 'https://aws.amazon.com/cloudwatch/pricing/',
    checked: '2026-11-22',
  },
  {
    title: 'Amazon DynamoDB pricing: on-demand requests',
    reference: 'https://aws.amazon.com/dynamodb/pricing/on-demand/',
    checked: '2026-11-22',
  },
  {
    title: 'AWS KMS pricing: requests',
    reference: 'https://aws.amazon.com/kms/pricing/',
    checked: '2026-11-22',
  },
  {
    title: 'Amazon EFS pricing: elastic throughput',
    reference: 'https://aws.amazon.com/efs/pricing/',
    checked: '2026-11-22',
  },
];

/** USD. Run Command on EC2 instances costs nothing (AWS Systems Manager pricing). */
export const BENCHMARK_PRICES = {
  stateTransition: 0.025 / 1000,
  lambdaRequest: 0.2 / 1e6,
  lambdaGBSecond: 0.0000133334,
  s3Put: 0.005 / 1000,
  s3Get: 0.0004 / 1000,
  s3GBMonth: 0.023,
  /** 0.30 a month, billed for the hours in which a value comes. */
  metricHour: 0.3 / 730,
  dynamoWrite: 0.625 / 1e6,
  dynamoRead: 0.125 / 1e6,
  logGB: 0.5,
  kmsRequest: 0.03 / 10_000,
  /** A file system with elastic throughput is billed by what is moved. */
  efsReadGB: 0.03,
  efsWriteGB: 0.06,
} as const;
