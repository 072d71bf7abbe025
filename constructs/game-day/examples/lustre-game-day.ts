import { App, Stack } from 'aws-cdk-lib';
import * as ec2 from 'aws-cdk-lib/aws-ec2';
import * as subscriptions from 'aws-cdk-lib/aws-sns-subscriptions';
import { GameDay, GameDayClients, GridNetwork, IntelLustre, SasGridCluster } from '../../index';

const stack = new Stack(new App(), 'Grid', { env: { account: '111122223333', region: 'us-east-1' } });
const network = new GridNetwork(stack, 'Network');
// An image of yours with the Lustre server packages, made from RHEL.
const machineImage = ec2.MachineImage.genericLinux({ 'us-east-1': 'ami-0123456789abcdef0' });
const lustre = new IntelLustre(stack, 'Lustre', { network, machineImage });
const grid = new SasGridCluster(stack, 'Grid', {
  network,
  machineImage,
  nodeCount: 2,
  sharedFileSystem: lustre,
});

const gameDay = new GameDay(stack, 'GameDay', {
  tiers: [lustre.mgs, lustre.mds, lustre.oss],
  // The grid writes as the account that owns its directories.
  clients: GameDayClients.hosts(grid.servers, {
    mountPoint: '/sasdata',
    directory: grid.lsfDirectory,
    user: 'sas',
  }),
  approvers: ['arn:aws:iam::111122223333:role/storage-owners'],
});
gameDay.topic.addSubscription(new subscriptions.EmailSubscription('storage-owners@example.com'));
