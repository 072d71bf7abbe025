import { App, Stack } from 'aws-cdk-lib';
import { GridNetwork, GridNodeImage, IntelLustre, LustreServerImage, SasGridCluster } from '../../index';

const app = new App();
const env = { account: '111122223333', region: 'us-east-1' };
const base = new Stack(app, 'Base', { env });
const network = new GridNetwork(base, 'Network', { availabilityZone: 'us-east-1a' });

// Deploy this stack first, and start its pipelines.
const images = new Stack(app, 'Images', { env });
const server = new LustreServerImage(images, 'Server', {
  network,
  imageId: 'ami-0123456789abcdef0', // leave it out until the pipeline has built one
});
const node = new GridNodeImage(images, 'Node', {
  network,
  mirror: server.mirror,
  lustreVersion: '2.17.0',
  imageId: 'ami-0fedcba9876543210',
});

const grid = new Stack(app, 'Grid', { env });
const lustre = new IntelLustre(grid, 'Lustre', { network, machineImage: server });
new SasGridCluster(grid, 'Cluster', {
  network,
  sharedFileSystem: lustre,
  machineImage: node,
  nodeCount: 4,
});
