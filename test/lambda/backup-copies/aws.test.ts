import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { BACKUP_TAGS } from '../../../constructs/private/tags';
import { Ec2Destination } from '../../../lambda/backup-copies/aws-snapshots';
import { Refused } from '../../../lambda/backup-copies/ports';

const SETTINGS = {
  deployment: 'mine',
  region: 'us-east-1',
  account: '111122223333',
  destination: { region: 'us-west-2', keyArn: 'arn:aws:kms:us-west-2:111122223333:key/abc' },
  keep: 2,
};
const SNAPSHOT = {
  SnapshotId: 'snap-0',
  Tags: [
    { Key: BACKUP_TAGS.set, Value: '20261128T010203Z' },
    { Key: 'aws:cloudformation:stack-name', Value: 'nobody else may set it' },
  ],
};

let server: Server;
let requests: { body: URLSearchParams; signed: string }[];
let answer: { status: number; body: string };

beforeAll((done) => {
  server = createServer((request, response) => {
    let body = '';
    request.on('data', (part) => {
      body += part;
    });
    request.on('end', () => {
      requests.push({ body: new URLSearchParams(body), signed: request.headers.authorization ?? '' });
      response.writeHead(answer.status, { 'content-type': 'text/xml', connection: 'close' }).end(answer.body);
    });
  }).listen(0, '127.0.0.1', done);
});

afterAll((done) => {
  server.close(done);
  server.closeAllConnections();
});

beforeEach(() => {
  requests = [];
});

const destination = () =>
  new Ec2Destination(SETTINGS, {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    credentials: { accessKeyId: 'key', secretAccessKey: 'secret' },
  });

test('a copy is asked for where it is to be, with all tags, and a signed request to where it comes from', async () => {
  answer = {
    status: 200,
    body: '<CopySnapshotResponse><snapshotId>snap-1</snapshotId></CopySnapshotResponse>',
  };
  expect(await destination().copy(SNAPSHOT)).toBe('snap-1');
  const [{ body, signed }] = requests as [(typeof requests)[0]];
  expect(signed).toContain('/us-west-2/ec2/');
  expect(Object.fromEntries(body)).toMatchObject({
    Action: 'CopySnapshot',
    SourceRegion: 'us-east-1',
    SourceSnapshotId: 'snap-0',
    Encrypted: 'true',
    KmsKeyId: SETTINGS.destination.keyArn,
    'TagSpecification.1.Tag.1.Key': BACKUP_TAGS.set,
    'TagSpecification.1.Tag.2.Key': BACKUP_TAGS.copyOf,
    'TagSpecification.1.Tag.2.Value': 'snap-0',
    'TagSpecification.1.Tag.3.Key': BACKUP_TAGS.copyFrom,
    'TagSpecification.1.Tag.3.Value': '111122223333/us-east-1',
  });
  expect(body.toString()).not.toContain('stack-name');
  const url = new URL(body.get('PresignedUrl')!);
  expect(url.searchParams.get('X-Amz-Credential')).toContain('/us-east-1/ec2/');
  expect(Object.fromEntries(url.searchParams)).toMatchObject({
    Action: 'CopySnapshot',
    DestinationRegion: 'us-west-2',
    SourceRegion: 'us-east-1',
    SourceSnapshotId: 'snap-0',
  });
  // The SDK would write the list of tags as one text, which EC2 does not know.
  expect([...url.searchParams.keys()].filter((each) => each.startsWith('Tag'))).toEqual([]);
});

test.each([
  [400, 'ResourceLimitExceeded', true],
  [503, 'RequestLimitExceeded', true],
  [403, 'UnauthorizedOperation', false],
])('%i %s is a refusal: nothing was begun', async (status, code, full) => {
  answer = {
    status,
    body: `<Response><Errors><Error><Code>${code}</Code><Message>no</Message></Error></Errors></Response>`,
  };
  const error = await destination()
    .copy(SNAPSHOT)
    .catch((one: unknown) => one);
  expect(error).toBeInstanceOf(Refused);
  expect((error as Refused).full).toBe(full);
  expect(requests).toHaveLength(1);
});

test('of an error of EC2 nobody knows whether it has begun, and it is not asked again', async () => {
  answer = {
    status: 503,
    body: '<Response><Errors><Error><Code>Unavailable</Code></Error></Errors></Response>',
  };
  const error = await destination()
    .copy(SNAPSHOT)
    .catch((one: unknown) => one);
  expect(error).not.toBeInstanceOf(Refused);
  expect(requests).toHaveLength(1);
});
