import { DEPLOYMENT } from '../lambda/volume-reconciler/deployment';
import { deployment } from './deployment';

test('the tier of the unit tests of the reconciler is as the construct deploys it, but for names and events', () => {
  const { hooks, document, recoveryTimeoutSeconds } = deployment();
  const {
    reconcilerTimeoutSeconds,
    seedTimeoutSeconds,
    seedEventAgeSeconds,
    seedServiceTimeoutSeconds,
    timeoutSeconds,
  } = deployment();
  expect(DEPLOYMENT).toMatchObject({
    hooks,
    recoveryTimeoutSeconds,
    reconcilerTimeoutSeconds,
    seedTimeoutSeconds,
    seedEventAgeSeconds,
    seedServiceTimeoutSeconds,
    timeoutSeconds,
  });
  const plain = Object.entries(document.parameters).map(([name, { allowedPattern, default: otherwise }]) => [
    name,
    { allowedPattern, ...(otherwise === undefined ? {} : { default: otherwise }) },
  ]);
  expect(DEPLOYMENT.document.parameters).toEqual(Object.fromEntries(plain));
});
