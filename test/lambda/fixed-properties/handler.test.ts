import { handle } from '../../../lambda/fixed-properties/handler';
import { changesOf, recordOf } from '../../../lambda/fixed-properties/record';
import type { Handled } from '../../../lambda/shared/answer';
import * as fc from '../../helpers/fast-check';

const FIX = 'Undo the change.';

interface Answer {
  readonly Status: string;
  readonly Reason: string;
  readonly PhysicalResourceId: string;
}

/** CloudFormation's part for one resource: it keeps the physical id and the properties of the last request. */
class Resource {
  id?: string;
  private properties: unknown;

  async ask(values: unknown, type = this.id === undefined ? 'Create' : 'Update'): Promise<Answer> {
    const bodies: string[] = [];
    const properties = { ServiceToken: 'arn', Values: values, Fix: FIX };
    const event = {
      RequestType: type,
      ResponseURL: 'https://answers.example/1',
      StackId: 'stack',
      RequestId: 'request',
      LogicalResourceId: 'Fixed',
      PhysicalResourceId: this.id,
      ResourceProperties: properties,
      OldResourceProperties: this.properties,
    };
    const ports = {
      log: { info: () => {}, error: () => {}, metrics: () => {} },
      answers: { put: async (_url: string, body: string) => void bodies.push(body) },
    };
    const handled: Handled = await handle(event, ports);
    const answer = JSON.parse(bodies[0]!) as Answer;
    expect(handled).toEqual({ did: 'answered', status: answer.Status });
    // Whatever comes of it, the next request has these as the old ones.
    this.properties = properties;
    if (answer.Status === 'SUCCESS') this.id = answer.PhysicalResourceId;
    return answer;
  }
}

describe('what is fixed', () => {
  const deployed = { clusterName: 'sasgfs2', addresses: ['10.0.0.4', '10.0.0.5'] };

  async function withDeployed(): Promise<Resource> {
    const resource = new Resource();
    expect(await resource.ask(deployed)).toMatchObject({ Status: 'SUCCESS' });
    return resource;
  }

  test('stays: the refusal names both values and what to do', async () => {
    const resource = await withDeployed();
    expect(await resource.ask({ ...deployed, clusterName: 'other' })).toMatchObject({
      Status: 'FAILED',
      Reason: 'This cannot change: clusterName from sasgfs2 to other. Undo the change.',
    });
  });

  test('can be rolled back to after a refusal, and is still fixed then', async () => {
    const resource = await withDeployed();
    await resource.ask({ ...deployed, clusterName: 'other' });
    expect(await resource.ask(deployed)).toMatchObject({ Status: 'SUCCESS' });
    expect(await resource.ask({ ...deployed, clusterName: 'other' })).toMatchObject({ Status: 'FAILED' });
  });

  test('a list grows and is rolled back, and keeps its order', async () => {
    const resource = await withDeployed();
    const grown = { ...deployed, addresses: [...deployed.addresses, '10.0.0.6'] };
    expect(await resource.ask(grown)).toMatchObject({ Status: 'SUCCESS' });
    expect(await resource.ask({ ...grown, addresses: ['10.0.0.4', '10.0.0.5', '10.0.0.7'] })).toMatchObject({
      Status: 'FAILED',
      Reason: expect.stringContaining('addresses from 10.0.0.4, 10.0.0.5, 10.0.0.6 to'),
    });
    expect(await resource.ask(deployed)).toMatchObject({ Status: 'SUCCESS' });
    expect(await resource.ask({ ...deployed, addresses: ['10.0.0.5', '10.0.0.4'] })).toMatchObject({
      Status: 'FAILED',
    });
  });

  test('a value that a new version of the library adds is taken as it is', async () => {
    const resource = await withDeployed();
    expect(await resource.ask({ ...deployed, stripe: '1024' })).toMatchObject({ Status: 'SUCCESS' });
    expect(await resource.ask({ ...deployed, stripe: '512' })).toMatchObject({ Status: 'FAILED' });
  });

  test('is deleted without a word', async () => {
    const resource = await withDeployed();
    expect(await resource.ask({ clusterName: 'whatever' }, 'Delete')).toMatchObject({ Status: 'SUCCESS' });
  });

  test.each([
    [undefined, 'Values is not an object'],
    [{ stripe: 5 }, 'Values.stripe is 5; it must be text'],
    [{ stripes: [5] }, 'Values.stripes is [5]; it must be text, or a list of texts'],
    [{ 'a=b': 'c' }, 'Values.a=b is "c"'],
  ])('that is %j is answered with what is wrong', async (values, reason) => {
    expect(await new Resource().ask(values)).toMatchObject({
      Status: 'FAILED',
      Reason: expect.stringContaining(reason),
    });
  });
});

test('a list that was empty may grow', () => {
  expect(changesOf(recordOf({ addresses: [] }), { addresses: ['10.0.0.4'] })).toEqual([]);
});

test('what cannot be answered is ignored', async () => {
  const log = { info: () => {}, error: jest.fn(), metrics: () => {} };
  const answers = { put: () => Promise.reject(new Error('not to be asked')) };
  expect(await handle({ RequestType: 'Create' }, { log, answers })).toEqual({ did: 'ignored' });
  expect(log.error).toHaveBeenCalled();
});

const TEXT = fc.string({ minLength: 1, maxLength: 40 });
const NAME = fc.constantFrom('stripe', 'clusterName', 'volumeIds', 'zone');

test('a record knows its own values, and every other value of a name', () => {
  void fc.assert(
    fc.property(
      fc.dictionary(NAME, fc.oneof(TEXT, fc.array(TEXT, { maxLength: 16 }))),
      TEXT,
      (values, other) => {
        const record = recordOf(values);
        expect(changesOf(record, values)).toEqual([]);
        for (const [name, value] of Object.entries(values)) {
          if (typeof value !== 'string' || value === other) continue;
          expect(changesOf(record, { ...values, [name]: other })).toEqual([name]);
        }
      },
    ),
  );
});

test('a record of the most that a cluster has fits into a physical id', () => {
  const list = (count: number) => Array.from({ length: count }, (_, index) => `value-${index}`);
  const longest = {
    addresses: list(16),
    nodeNames: list(16),
    volumeIds: list(11),
    clusterName: 'x'.repeat(32),
    key: 'x'.repeat(80),
    stripe: '1',
  };
  expect(recordOf(longest).length).toBeLessThanOrEqual(1024);
});
