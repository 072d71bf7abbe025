import { GridNetwork, IntelLustre } from '../../../constructs';
import { nagFindings } from '../../helpers/app';
import { IMAGE } from './stack';

test('cdk-nag has nothing to say that nobody answered', () => {
  const findings = nagFindings((scope) => {
    const network = new GridNetwork(scope, 'Network');
    new IntelLustre(scope, 'SasData', { network, machineImage: IMAGE });
  });
  expect(findings).toEqual([]);
});
