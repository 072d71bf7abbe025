import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { type App, Size, Stack } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import {
  GridNetwork,
  GridNodeImage,
  LustreBackend,
  LustreServerImage,
  type LustreServerImageProps,
  PackageMirror,
} from '../../../constructs';
import { currentHostSoftware } from '../../../constructs/host/in-image';
import { testApp } from '../../helpers/app';

function stackWith<T>(add: (stack: Stack, network: GridNetwork) => T, id = 'images') {
  const stack = new Stack(testApp(), id);
  const network = new GridNetwork(stack, 'Network');
  return { made: add(stack, network), stack };
}

const server = (props: Partial<LustreServerImageProps> = {}) =>
  stackWith((stack, network) => new LustreServerImage(stack, 'Image', { network, ...props }));

/** A component's document, with what is known at deployment only in angle brackets. */
function documentOf(
  stack: Stack,
  logicalId: RegExp,
): {
  readonly text: string;
  readonly phases: { name: string; steps: { name: string; action: string; inputs: unknown }[] }[];
} {
  const components = Template.fromStack(stack).findResources('AWS::ImageBuilder::Component');
  const [, found] = Object.entries(components).find(([id]) => logicalId.test(id))!;
  const data = found.Properties.Data as string | { 'Fn::Join': [string, unknown[]] };
  const text =
    typeof data === 'string'
      ? data
      : data['Fn::Join'][1].map((part) => (typeof part === 'string' ? part : '<token>')).join('');
  return { text, phases: JSON.parse(text).phases };
}

describe('a Lustre server image', () => {
  test('installs, reboots into its kernel, and cleans last; the image is tested', () => {
    const { stack } = server();
    const [build] = documentOf(stack, /Install/).phases;
    expect(build!.steps.map(({ name }) => name)).toEqual([
      'FetchPrograms',
      'UnpackPrograms',
      'Packages',
      'Kernel',
      'RebootToKernel',
      'Lustre',
      'HostSoftware',
    ]);
    const finish = documentOf(stack, /Finish/).phases;
    expect(finish.map(({ name, steps }) => [name, steps.at(-1)!.name])).toEqual([
      ['build', 'Clean'],
      ['test', 'SelfTest'],
    ]);
    const recipe = Object.values(
      Template.fromStack(stack).findResources('AWS::ImageBuilder::ImageRecipe'),
    )[0]!;
    const order = recipe.Properties.Components.map(
      ({ ComponentArn }: { ComponentArn: { 'Fn::GetAtt': [string] } }) => ComponentArn['Fn::GetAtt'][0],
    );
    expect(order).toEqual([expect.stringMatching(/Install/), expect.stringMatching(/Finish/)]);
  });

  test('is no resource of the stack: what is built outlives updates, and a build that fails rolls nothing back', () => {
    Template.fromStack(server().stack).resourceCountIs('AWS::ImageBuilder::Image', 0);
  });

  test('keeps the agent, is encrypted, and its build instance is reached by nobody', () => {
    const { stack } = server({ rootVolumeSize: Size.gibibytes(40) });
    const template = Template.fromStack(stack);
    template.hasResourceProperties('AWS::ImageBuilder::ImageRecipe', {
      AdditionalInstanceConfiguration: { SystemsManagerAgent: { UninstallAfterBuild: false } },
      BlockDeviceMappings: [{ Ebs: Match.objectLike({ Encrypted: true, VolumeSize: 40 }) }],
    });
    template.hasResourceProperties('AWS::ImageBuilder::InfrastructureConfiguration', {
      InstanceMetadataOptions: { HttpTokens: 'required' },
      KeyPair: Match.absent(),
      TerminateInstanceOnFailure: true,
    });
  });

  // Image Builder takes 16,000 characters (CreateComponent, data, in botocore's model).
  test('has documents that Image Builder takes', () => {
    const { stack } = server();
    for (const id of [/Install/, /Finish/]) expect(documentOf(stack, id).text.length).toBeLessThan(14_000);
  });

  test('is called otherwise when anything of it changes: a component exists once by its name and version', () => {
    const namesOf = (props: Partial<LustreServerImageProps>) => {
      const template = Template.fromStack(server(props).stack);
      const all = ['Component', 'ImageRecipe'].flatMap((type) =>
        Object.values(template.findResources(`AWS::ImageBuilder::${type}`)),
      );
      return all.map(({ Properties }) => Properties.Name as string);
    };
    const names = namesOf({});
    expect(namesOf({})).toEqual(names);
    const recorded = [{ file: 'a.rpm', sha256: 'a'.repeat(64), address: 'https://example.com/a.rpm' }];
    for (const changed of [{ lustreVersion: '2.16.1' }, { recordedPackages: recorded }]) {
      expect(namesOf(changed).filter((name) => names.includes(name))).toEqual([]);
    }
    expect(namesOf({ rootVolumeSize: Size.gibibytes(40) })[2]).not.toBe(names[2]);
  });

  test.each([
    [{ lustreVersion: '2.17.1' }, /lustreVersion is '2.17.1'; .*2.17.0 \(el9.7\).* The nearest is 2.17.0/],
    [{ backend: LustreBackend.ZFS }, /backend of Lustre 2.17.0 is 'zfs'; allowed: ldiskfs/],
    [{ imageId: 'ami-1' }, /imageId is 'ami-1'; allowed: 'ami-' and 8 or 17/],
    [{ imageSoftware: { version: 'x', files: {} } }, /imageSoftware is 'given without imageId'/],
    [{ rebuildSchedule: 'monthly' }, /rebuildSchedule is 'monthly'/],
    [{ rootVolumeSize: Size.gibibytes(8) }, /rootVolumeSize is 8/],
    [
      { recordedPackages: [{ file: 'a.rpm', sha256: 'A', address: 'https://example.com' }] },
      /recordedPackages: a.rpm is 'A'; allowed: 64 hexadecimal/,
    ],
  ])('is refused with %p', (props, message) => {
    expect(() => server(props as Partial<LustreServerImageProps>)).toThrow(message);
  });

  test('asks for the image where none is named, in the stack that launches from it', () => {
    const { made, stack } = server();
    const other = new Stack(Stack.of(stack).node.root as App, 'storage');
    const { imageId } = made.getImage(other);
    expect(made.getImage(other).imageId).toBe(imageId);
    Template.fromStack(other).hasParameter('ImageOfImage', { Type: 'AWS::EC2::Image::Id' });
    const pinned = server({ imageId: 'ami-0123456789abcdef0' });
    expect(pinned.made.getImage(other).imageId).toBe('ami-0123456789abcdef0');
  });
});

test('the build may use its mirror and its programs, and nothing else of the account', () => {
  const { stack } = stackWith((scope, network) => {
    const mirror = new PackageMirror(scope, 'Mirror');
    return new LustreServerImage(scope, 'Image', { network, mirror });
  });
  // Beside those of the network.
  const policies = Object.values(Template.fromStack(stack).findResources('AWS::IAM::Policy'));
  const statements = policies.flatMap(({ Properties }) => Properties.PolicyDocument.Statement);
  const actions = statements
    .filter(({ Sid }) => Sid !== undefined && !['Reserve', 'TagWhatIsMade'].includes(Sid))
    .map(({ Sid, Action }) => [Sid, [Action].flat().join(' ')]);
  expect(Object.fromEntries(actions)).toEqual({
    ReadComponents: 'imagebuilder:GetComponent',
    FetchTheExecutor: 's3:GetObject',
    WriteLogs: 'logs:CreateLogGroup logs:CreateLogStream logs:PutLogEvents',
    FetchPrograms: 's3:GetObject',
    ListPackages: 's3:ListBucket',
    KeepPackages: 's3:GetObject s3:PutObject',
    Sign: 'secretsmanager:GetSecretValue secretsmanager:PutSecretValue',
  });
  Template.fromStack(stack).hasResource('AWS::S3::Bucket', {
    DeletionPolicy: 'Retain',
    Properties: { VersioningConfiguration: { Status: 'Enabled' } },
  });
});

test('a grid node has its own component before the last one', () => {
  const { stack } = stackWith(
    (scope, network) =>
      new GridNodeImage(scope, 'Node', {
        network,
        lustreVersion: '2.17.0',
        ownComponent: 's3://depot/sas.yml',
      }),
  );
  const recipe = Object.values(Template.fromStack(stack).findResources('AWS::ImageBuilder::ImageRecipe'))[0]!;
  expect(JSON.stringify(recipe.Properties.Components)).toMatch(/Install.*Own.*Finish/);
  const [build] = documentOf(stack, /Install/).phases;
  expect(build!.steps.map(({ name }) => name)).toEqual([
    'FetchPrograms',
    'UnpackPrograms',
    'Packages',
    'Lustre',
    'HostSoftware',
    'Node',
  ]);
  // The kernel of the base image: a client's modules fit each of a minor release.
  Template.fromStack(stack).hasParameter('*', { Type: 'AWS::EC2::Image::Id' });
});

test('where the stack names account and region, the base image is the newest AlmaLinux of the release', () => {
  const stack = new Stack(testApp(), 'images', { env: { account: '111122223333', region: 'us-east-1' } });
  const network = new GridNetwork(stack, 'Network', { availabilityZone: 'us-east-1a' });
  new LustreServerImage(stack, 'Image', { network, lustreVersion: '2.16.1' });
  const { missing } = (stack.node.root as App).synth().manifest;
  const [{ props }] = missing!.filter(({ provider }) => provider === 'ami') as unknown as [{ props: object }];
  expect(JSON.stringify(props)).toContain('AlmaLinux OS 9.4.* x86_64');
  expect(JSON.stringify(props)).toContain('764336703387');
});

test('the archive unpacks what is needed on a build instance, and refuses another one', () => {
  const root = mkdtempSync(join(tmpdir(), 'image-'));
  try {
    const app = testApp({}, { outdir: join(root, 'cdk.out') });
    const stack = new Stack(app, 'images');
    const network = new GridNetwork(stack, 'Network');
    new LustreServerImage(stack, 'Image', { network });
    const { steps } = documentOf(stack, /Install/).phases[0]!;
    const [{ destination }] = steps[0]!.inputs as [{ destination: string }];
    const [script] = (steps[1]!.inputs as { commands: [string] }).commands;
    app.synth();
    const { files } = JSON.parse(readFileSync(join(root, 'cdk.out/images.assets.json'), 'utf8'));
    const paths = Object.values(files as { [id: string]: { source: { path: string } } }).map(
      (each) => each.source.path,
    );
    const archive = paths.find((path) => path.endsWith('.gz'))!;
    const downloaded = join(root, destination);
    mkdirSync(dirname(downloaded), { recursive: true });
    writeFileSync(downloaded, readFileSync(resolve(root, 'cdk.out', archive)));
    const bash = () =>
      execFileSync('bash', ['-c', script], { env: { ...process.env, SAS_GRID_ROOT: root }, stdio: 'pipe' });
    bash();
    const base = join(root, 'var/lib/sas-grid-image');
    expect(readFileSync(join(base, 'image.env'), 'utf8')).toContain(
      'KERNEL=5.14.0-611.13.1_lustre.el9.x86_64\n',
    );
    expect(readFileSync(join(base, 'packages.tsv'), 'utf8')).toContain('kmod-lustre=2.17.0*\tlustre\n');
    for (const [path, sum] of Object.entries(currentHostSoftware().files)) {
      const found = execFileSync('sha256sum', [join(base, 'host', path)], { encoding: 'utf8' });
      expect(found.split(' ')[0]).toBe(sum);
    }
    writeFileSync(downloaded, 'another');
    expect(bash).toThrow(/are not those of the template/);
  } finally {
    rmSync(root, { recursive: true });
  }
});
