import { Template } from 'aws-cdk-lib/assertions';
import { loadConfig, parseConfig } from '../../lib/config';
import { createDeployment } from '../../lib/deployment';
import { newReservationIn } from '../../lib/new-reservations';
import { testApp } from '../helpers/app';

const ARN = 'arn:aws:resource-groups:us-east-1:111122223333:group/sas';

test('capacity is reserved where the configuration says so', () => {
  const config = loadConfig('sas-grid-nfs');
  const { storage, grid } = createDeployment(testApp(), 'mine', {
    ...config,
    region: 'us-east-1',
    network: { ...config.network, separatePlacementGroups: true },
    nfs: { ...config.nfs, capacityReservation: 'make-rhel' },
    grid: { ...config.grid!, capacityReservation: ARN },
  });
  Template.fromStack(storage).hasResourceProperties('AWS::EC2::CapacityReservation', {
    InstanceCount: 1,
    InstancePlatform: 'Red Hat Enterprise Linux',
  });
  Template.fromStack(grid!).hasResourceProperties('AWS::EC2::LaunchTemplate', {
    LaunchTemplateData: {
      CapacityReservationSpecification: {
        CapacityReservationTarget: { CapacityReservationResourceGroupArn: ARN },
      },
    },
  });
});

test('a server in an existing network can only name a reservation: its placement group is not known yet', () => {
  const text = (reservation: string) =>
    `description: x\nexistingNetwork: {}\nnfs: { ebs: {}, capacityReservation: '${reservation}' }\n`;
  expect(() => parseConfig(text('make'), 'mine.yaml')).toThrow(
    /^mine.yaml: the file has existingNetwork, and nfs.capacityReservation asks for a new reservation; allowed:/,
  );
  expect(() => parseConfig(text(ARN), 'mine.yaml')).not.toThrow();
  expect(() => parseConfig(text('yes'), 'mine.yaml')).toThrow(
    /capacityReservation is "yes"; allowed: .*make-rhel/,
  );
});

test('a new reservation is found wherever it is', () => {
  const config = loadConfig('sas-grid-lustre');
  expect(newReservationIn(config)).toBeUndefined();
  const storage = { ...config.storage!, mds: { capacityReservation: 'make' } };
  expect(newReservationIn({ ...config, storage })).toBe('storage.mds.capacityReservation');
  expect(
    newReservationIn({ ...config, grid: { ...config.grid!, capacityReservation: ARN } }),
  ).toBeUndefined();
});
