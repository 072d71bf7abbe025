import { Size } from 'aws-cdk-lib';
import { EfsSharedFileSystem, FsxLustre, FsxOntap, FsxOpenZfs, GridNetwork } from '../../../constructs';
import { nagFindings } from '../../helpers/app';
import { SSD } from './stack';

test('cdk-nag has nothing to say that nobody answered', () => {
  const findings = nagFindings((scope) => {
    const network = new GridNetwork(scope, 'Network');
    new FsxLustre(scope, 'Lustre', { network, storage: SSD });
    new FsxOpenZfs(scope, 'OpenZfs', { network, capacity: Size.tebibytes(1), throughputMBps: 160 });
    new FsxOntap(scope, 'Ontap', { network, capacity: Size.tebibytes(1), throughputMBpsPerPair: 1536 });
    new EfsSharedFileSystem(scope, 'Efs', { network });
  });
  expect(findings).toEqual([]);
});
