import { Stack, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { nagFindings, testApp } from '../../helpers/app';
import { io2In } from './stack';

test.each([1, 4])('cdk-nag has nothing to say about %d host(s) that nobody answered', (nodeCount) => {
  expect(nagFindings((scope) => void io2In(scope, { nodeCount }))).toEqual([]);
});

test('nor in a stack that does not know its account and region', () => {
  const app = testApp();
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  const image = { imageId: 'ami-0123456789abcdef0', osType: 0, userData: undefined as never };
  io2In(new Stack(app, 'Anywhere'), { nodeCount: 2, machineImage: { getImage: () => image } });
  expect(() => app.synth()).not.toThrow();
});
