import { App, Size, Stack, Stage } from 'aws-cdk-lib';
import { MachineImage, Vpc } from 'aws-cdk-lib/aws-ec2';
import { CodePipeline, CodePipelineSource, ShellStep } from 'aws-cdk-lib/pipelines';
import type { Construct } from 'constructs';
import { GridNetwork, Io2BlockExpressGfs2, NfsStorageServer } from '../../constructs';
import { CONTEXTS } from './synthesize';

const env = { account: '111122223333', region: 'eu-central-1' };
const machineImage = MachineImage.genericLinux({ 'eu-central-1': 'ami-0123456789abcdef0' });

/** A network in a stack of its own, and storage in others. */
class Site extends Stage {
  constructor(scope: Construct, id: string, hostName: string) {
    super(scope, id, { env });
    const network = new GridNetwork(new Stack(this, 'Network'), 'Network', {
      availabilityZone: 'eu-central-1a',
      // As the error of synthesis writes it: the same for both stages.
      storageAddressBlocks: [
        { owner: 'Nfs/Nfs', firstAddress: '172.16.4.64', count: 8 },
        { owner: 'Gfs2/Gfs2/Cluster', firstAddress: '172.16.4.72', count: 8 },
      ],
    });
    new NfsStorageServer(new Stack(this, 'Nfs'), 'Nfs', { network, machineImage, hostName });
    const props = { network, machineImage, size: Size.tebibytes(10), nodeCount: 2 };
    new Io2BlockExpressGfs2(new Stack(this, 'Gfs2'), 'Gfs2', props);
  }
}

const testApp = (context: string) =>
  new App({ builtinCloudFormationValidation: false, context: { ...CONTEXTS[context] } });

test.each(['none', 'recommended'])(
  'two stages of one code synthesize alike, with the context %s',
  (context) => {
    const app = testApp(context);
    for (const id of ['Test', 'Production']) new Site(app, id, 'storage1');
    const [test, production] = app
      .synth()
      .nestedAssemblies.map(({ nestedAssembly }) => nestedAssembly.stacks);
    expect(test).toHaveLength(3);
    const types = (stacks = test!) =>
      stacks.map(({ template }) =>
        Object.values(template.Resources as Record<string, { Type: string }>).map(({ Type }) => Type),
      );
    expect(types()).toEqual(types(production!));
  },
);

test('a pipeline deploys it', () => {
  const app = testApp('recommended');
  const stack = new Stack(app, 'Pipeline', { env });
  const input = CodePipelineSource.connection('owner/app', 'main', {
    connectionArn: 'arn:aws:codestar-connections:eu-central-1:111122223333:connection/1',
  });
  const synth = new ShellStep('Synth', { input, commands: ['npx cdk synth'] });
  new CodePipeline(stack, 'Pipeline', { synth }).addStage(new Site(app, 'Production', 'storage1'));
  expect(app.synth().nestedAssemblies).toHaveLength(1);
});

test('a VPC that nobody has looked up yet is asked for, not judged', () => {
  const app = testApp('recommended');
  const stack = new Stack(app, 'Existing', { env });
  const vpc = Vpc.fromLookup(stack, 'Vpc', { vpcId: 'vpc-0123456789abcdef0' });
  const { subnets } = vpc.selectSubnets({ availabilityZones: ['eu-central-1a'] });
  const existing = { vpc, privateSubnets: subnets.length > 0 ? subnets : vpc.privateSubnets };
  const network = new GridNetwork(stack, 'Network', { existing });
  new NfsStorageServer(stack, 'Nfs', { network, machineImage });
  expect(app.synth().manifest.missing).toHaveLength(1);
});
