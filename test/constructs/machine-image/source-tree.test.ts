import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import {
  GridNetwork,
  LustreBackend,
  LustreServerImage,
  type LustreServerImageProps,
} from '../../../constructs';
import { lustreServerOfSource } from '../../../constructs/machine-image/contents';

const KERNEL = '6.1.0-56-cloud-amd64';
const SUM = createHash('sha256').update('a tree').digest('hex');

let folder: string;
let archive: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tree-'));
  archive = join(folder, 'lustre-2.17.0.tar.gz');
  writeFileSync(archive, 'a tree');
});

afterAll(() => rmSync(folder, { recursive: true }));

function imageOf(props: Partial<LustreServerImageProps> = {}, env = {}) {
  const stack = new Stack(new App(), 'images', env);
  const network = new GridNetwork(stack, 'Network');
  const sourceTree = { archive, kernel: KERNEL };
  return { stack, image: new LustreServerImage(stack, 'Image', { network, sourceTree, ...props }) };
}

test('the build fetches the tree before it brings packages, and may read that object and its programs only', () => {
  const { stack, image } = imageOf();
  const template = Template.fromStack(stack);
  const text = JSON.stringify(template.findResources('AWS::ImageBuilder::Component'));
  const names = [...text.matchAll(/\\"name\\": \\"(\w+)\\"/g)].map(([, name]) => name);
  const steps = [
    'FetchPrograms',
    'UnpackPrograms',
    'FetchSource',
    'Packages',
    'Kernel',
    'RebootToKernel',
    'Lustre',
  ];
  expect(names.slice(names.indexOf('FetchPrograms'), names.indexOf('HostSoftware'))).toEqual(steps);
  expect(text).toContain('export SAS_IMAGE_SOURCE=');
  expect(image.kernel).toBe(KERNEL);
  const statements = Object.values(template.findResources('AWS::IAM::Policy')).flatMap(
    ({ Properties }) => Properties.PolicyDocument.Statement,
  );
  const { Resource } = statements.find(({ Sid }) => Sid === 'FetchPrograms');
  expect(Resource).toHaveLength(2);
});

test('what is installed is what is built of this very tree, for this kernel', () => {
  const { settings, packages, sources } = lustreServerOfSource('2.17.0', { archive, kernel: KERNEL }, SUM);
  const version = `2.17.0-1+src${SUM.slice(0, 8)}`;
  expect(settings).toMatchObject({
    SYSTEM: 'debian',
    BACKEND: 'zfs',
    KERNEL,
    SOURCE_SHA256: SUM,
    RELEASE: '12',
  });
  expect(packages.filter(([step]) => step !== 'host')).toEqual([
    ['kernel', `linux-image-${KERNEL}`, '-'],
    ['lustre', `lustre-server-modules-${KERNEL}=${version}`, '-'],
    ['lustre', `lustre-server-utils=${version}`, '-'],
    ['lustre', 'zfsutils-linux', '-'],
  ]);
  expect(sources).toEqual([]);
});

test('another tree is another recipe', () => {
  const namesOf = (text: string) => {
    writeFileSync(archive, text);
    const template = Template.fromStack(imageOf().stack);
    return Object.values(template.findResources('AWS::ImageBuilder::ImageRecipe'))[0]!.Properties.Name;
  };
  expect(namesOf('another tree')).not.toBe(namesOf('a tree'));
});

test('begins with Debian’s own image, and its root device', () => {
  const { stack } = imageOf({}, { env: { account: '111122223333', region: 'us-east-1' } });
  Template.fromStack(stack).hasResourceProperties('AWS::ImageBuilder::ImageRecipe', {
    BlockDeviceMappings: [{ DeviceName: '/dev/xvda' }],
  });
  const { missing } = (stack.node.root as App).synth().manifest;
  const text = JSON.stringify(missing!.filter(({ provider }) => provider === 'ami'));
  expect(text).toContain('debian-12-amd64-*');
  expect(text).toContain('136693071363');
});

test.each<[Partial<LustreServerImageProps>, RegExp]>([
  [{ backend: LustreBackend.LDISKFS }, /backend of a source tree is 'ldiskfs'; allowed: zfs/],
  [{ lustreVersion: '2.17' }, /lustreVersion is '2.17'; allowed: the release of the tree/],
  [
    { sourceTree: { archive: '/no/such.tar', kernel: KERNEL } },
    /sourceTree.archive is '\/no\/such.tar'; allowed: a file/,
  ],
  [
    { sourceTree: { archive: '/', kernel: '5.14.0-611.el9.x86_64' } },
    /sourceTree.kernel is '5.14.0-611.el9.x86_64'/,
  ],
])('is refused with %p', (props, message) => {
  expect(() => imageOf(props)).toThrow(message);
});

test('takes any release of Lustre, which no table has to know', () => {
  expect(imageOf({ lustreVersion: '2.17.57' }).image.lustreVersion).toBe('2.17.57');
});
