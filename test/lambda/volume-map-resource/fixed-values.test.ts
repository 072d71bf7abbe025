const answers: { Status: string; Reason: string; PhysicalResourceId: string }[] = [];
// Before the function is loaded, which takes it as it is then.
jest.spyOn(globalThis, 'fetch').mockImplementation(async (_url, options) => {
  answers.push(JSON.parse(Buffer.from(options?.body as Uint8Array).toString()));
  return new Response();
});
const { handler } = require('../../../lambda/volume-map-resource');

const ask = (ResourceProperties: object, PhysicalResourceId?: string) =>
  handler({
    RequestType: PhysicalResourceId ? 'Update' : 'Create',
    ResourceType: 'Custom::SasGridFixedValues',
    ResponseURL: 'https://answers.example/1',
    StackId: 'stack',
    RequestId: 'request',
    LogicalResourceId: 'Fixed',
    PhysicalResourceId,
    ResourceProperties,
  });

test('the function that seeds the map of a tier also refuses to change what is fixed of it', async () => {
  expect(await ask({ Values: { fileSystemName: 'sasdata' } })).toMatchObject({ status: 'SUCCESS' });
  const changed = { Values: { fileSystemName: 'other' }, Fix: 'Undo the change.' };
  expect(await ask(changed, answers[0]!.PhysicalResourceId)).toMatchObject({ status: 'FAILED' });
  expect(answers[1]!.Reason).toBe(
    'This cannot change: fileSystemName from what was deployed to other. Undo the change.',
  );
});
