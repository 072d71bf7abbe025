import { handle } from '../../../lambda/address-reservation/handler';
import { FakeEc2, NATIVE, PROPERTIES } from './fake-ec2';

let ec2: FakeEc2;
beforeEach(() => {
  ec2 = new FakeEc2();
});
const ids = () => ec2.reservations.map(({ id }) => id);

describe('a creation', () => {
  test('reserves, and says so by the id', async () => {
    expect(await ec2.ask('Create')).toMatchObject({ Status: 'SUCCESS', PhysicalResourceId: 'scr-1' });
    expect(ec2.reservations).toMatchObject([{ cidr: PROPERTIES.Cidr, kind: 'explicit' }]);
  });

  test('asked again, finds what it has made, even where a list does not show it yet', async () => {
    await ec2.ask('Create');
    ec2.staleLists = 3;
    expect(await ec2.ask('Create')).toMatchObject({ Status: 'SUCCESS', PhysicalResourceId: 'scr-1' });
    expect(ids()).toEqual(['scr-1']);
  });

  test('whose answer got lost, finds it', async () => {
    ec2.lostAnswers = 1;
    expect(await ec2.ask('Create')).toMatchObject({ Status: 'SUCCESS', PhysicalResourceId: 'scr-1' });
  });

  test('waits for a role that does not count yet', async () => {
    ec2.forbiddenFor = 20_000;
    expect(await ec2.ask('Create')).toMatchObject({ Status: 'SUCCESS' });
  });

  test('takes the place of a reservation that CloudFormation made, which may then delete that one', async () => {
    ec2.reservations = [NATIVE];
    expect(await ec2.ask('Create')).toMatchObject({ Status: 'SUCCESS', PhysicalResourceId: 'scr-1' });
    expect(ec2.calls).toEqual(['delete scr-native', 'create scr-1']);
    await ec2.delete('scr-native');
    expect(ids()).toEqual(['scr-1']);
  });

  test.each([
    ['of another range', { ...NATIVE, cidr: '10.0.1.64/27' }],
    ['of prefixes', { ...NATIVE, kind: 'prefix' }],
    ['with another purpose', { ...NATIVE, description: 'Containers' }],
    ['of another stack', { ...NATIVE, tags: { 'cdk-sas-grid:stack': 'stack/two' } }],
    ['of another resource', { ...NATIVE, tags: { 'cdk-sas-grid:stack': 'stack/one' } }],
  ])('leaves one %s alone, and names it', async (_what, other) => {
    ec2.reservations = [other];
    const answer = await ec2.ask('Create');
    expect(answer.Status).toBe('FAILED');
    expect(answer.Reason).toContain(`scr-native (${other.kind} ${other.cidr}, '${other.description}')`);
    expect(ec2.reservations).toEqual([other]);
    expect(ec2.slept).toBeLessThanOrEqual(30_000);
  });

  test.each(['SubnetId', 'Cidr', 'Description'])('without %s is refused by that name', async (name) => {
    const answer = await ec2.ask('Create', { properties: { ...PROPERTIES, [name]: undefined } });
    expect(answer).toMatchObject({ Status: 'FAILED', Reason: expect.stringContaining(name) });
  });
});

describe('an update', () => {
  const PhysicalResourceId = 'scr-1';

  test('with the same range changes nothing', async () => {
    await ec2.ask('Create');
    expect(await ec2.ask('Update', { PhysicalResourceId })).toMatchObject({ PhysicalResourceId });
    expect(ec2.calls).toEqual(['create scr-1']);
  });

  test('with another range makes another one; CloudFormation deletes the old one', async () => {
    await ec2.ask('Create');
    const properties = { ...PROPERTIES, Cidr: '10.0.1.128/26' };
    const { PhysicalResourceId: next } = await ec2.ask('Update', { PhysicalResourceId, properties });
    expect(next).toBe('scr-2');
    expect(ids()).toEqual(['scr-1', 'scr-2']);
    await ec2.ask('Delete', { PhysicalResourceId });
    expect(ids()).toEqual(['scr-2']);
  });

  test('to a range around the old one makes room first', async () => {
    await ec2.ask('Create');
    const properties = { ...PROPERTIES, Cidr: '10.0.1.0/24' };
    expect(await ec2.ask('Update', { PhysicalResourceId, properties })).toMatchObject({ Status: 'SUCCESS' });
    expect(ids()).toEqual(['scr-2']);
  });
});

describe('a deletion', () => {
  test('of what is gone is done', async () => {
    expect(await ec2.ask('Delete', { PhysicalResourceId: 'scr-9' })).toMatchObject({ Status: 'SUCCESS' });
  });

  test('of a creation that failed deletes what that has made all the same', async () => {
    await ec2.ask('Create');
    ec2.reservations = [...ec2.reservations, { ...NATIVE, cidr: '10.0.1.0/28' }];
    expect(await ec2.ask('Delete', { PhysicalResourceId: 'Range1' })).toMatchObject({ Status: 'SUCCESS' });
    expect(ids()).toEqual(['scr-native']);
  });
});

test('what is no request of CloudFormation is not answered', async () => {
  const log = { info: jest.fn(), error: jest.fn(), metrics: jest.fn() };
  expect(await handle({}, { log } as never)).toEqual({ did: 'ignored' });
});
