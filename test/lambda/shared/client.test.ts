import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { AutoScalingClient, DescribeAutoScalingGroupsCommand } from '@aws-sdk/client-auto-scaling';
import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { DescribeVolumesCommand, EC2Client } from '@aws-sdk/client-ec2';
import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { SFNClient, StartExecutionCommand } from '@aws-sdk/client-sfn';
import { ListCommandsCommand, SSMClient } from '@aws-sdk/client-ssm';
import { HttpAnswers } from '../../../lambda/shared/answer';
import { clientOf } from '../../../lambda/shared/client';

/** Takes requests, and does with the answer what `how` does; what it leaves open is closed at the end. */
async function serving<T>(how: (answer: ServerResponse) => void, what: (url: string) => Promise<T>) {
  let requests = 0;
  const server = createServer((_, answer) => {
    requests += 1;
    how(answer);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const outcome = await what(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    return { outcome, requests: () => requests };
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const SILENT = (): void => undefined;

/** The head of an answer, and never the rest. */
const STALLED = (answer: ServerResponse): void => {
  answer.writeHead(200, { 'content-length': '100' });
  answer.write('{');
};

const setUp = (endpoint: string) => ({
  region: 'us-east-1',
  credentials: { accessKeyId: 'x', secretAccessKey: 'x' },
  endpoint,
  ...clientOf({ attempts: 2, timeoutMs: 300 }),
});

const ASKED: { readonly [service: string]: (endpoint: string) => Promise<unknown> } = {
  'Auto Scaling': (endpoint) =>
    new AutoScalingClient(setUp(endpoint)).send(new DescribeAutoScalingGroupsCommand({})),
  CloudFormation: (endpoint) => new CloudFormationClient(setUp(endpoint)).send(new DescribeStacksCommand({})),
  DynamoDB: (endpoint) =>
    new DynamoDBClient(setUp(endpoint)).send(new GetItemCommand({ TableName: 't', Key: { k: { S: 'k' } } })),
  EC2: (endpoint) => new EC2Client(setUp(endpoint)).send(new DescribeVolumesCommand({})),
  S3: (endpoint) =>
    new S3Client({ ...setUp(endpoint), forcePathStyle: true }).send(
      new GetObjectCommand({ Bucket: 'b', Key: 'k' }),
    ),
  'Step Functions': (endpoint) =>
    new SFNClient(setUp(endpoint)).send(new StartExecutionCommand({ stateMachineArn: 'arn' })),
  'Systems Manager': (endpoint) => new SSMClient(setUp(endpoint)).send(new ListCommandsCommand({})),
};

describe('a service that takes a request', () => {
  test.each(Object.keys(ASKED))('and says nothing: %s is asked again, and then given up', async (service) => {
    const { outcome, requests } = await serving(SILENT, (url) =>
      ASKED[service]!(url).then(
        () => 'answered',
        (error: Error) => error.name,
      ),
    );
    expect(outcome).toBe('TimeoutError');
    expect(requests()).toBe(2);
  });

  test('and stops in the middle of its answer is given up', async () => {
    const { outcome } = await serving(STALLED, (url) =>
      ASKED.DynamoDB!(url).then(
        () => 'answered',
        (error: Error) => error.name,
      ),
    );
    expect(outcome).not.toBe('answered');
  });

  test('CloudFormation’s address is put to again, and then given up', async () => {
    const { outcome, requests } = await serving(SILENT, (url) =>
      new HttpAnswers(fetch, async () => undefined, 300)
        .put(url, '{}')
        .catch((error: Error) => error.message),
    );
    expect(outcome).toMatch(/did not take the answer: .*timeout/);
    expect(requests()).toBeGreaterThan(1);
  });
});

/** Files of the functions that make a client, and what they give it. */
function made(folder: string): { file: string; given: string }[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const file = join(folder, entry.name);
    if (entry.isDirectory()) return made(file);
    const text = readFileSync(file, 'utf8');
    return [...text.matchAll(/new \w+Client\(([^;]*?)\)[,;]/g)].map(([, given]) => ({ file, given: given! }));
  });
}

test('every client that a function makes has its patience', () => {
  const clients = made('lambda');
  expect(clients.length).toBeGreaterThan(15);
  expect(clients.filter(({ given }) => !/clientOf\(|\bCLIENT\b|\bONCE\b/.test(given))).toEqual([]);
});
