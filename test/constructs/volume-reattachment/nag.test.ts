import { type App, Stack, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { nagFindings, testApp } from '../../helpers/app';
import { tierIn } from './tier';

test('has no unacknowledged finding of cdk-nag', () => {
  expect(nagFindings((scope) => void tierIn(scope))).toEqual([]);
});

test('nor in a stack that does not know its account and region', () => {
  const app: App = testApp();
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  tierIn(new Stack(app, 'Anywhere'), { machineImage: { getImage: () => IMAGE } });
  expect(() => app.synth()).not.toThrow();
});

const IMAGE = { imageId: 'ami-0123456789abcdef0', osType: 0, userData: undefined as never };
