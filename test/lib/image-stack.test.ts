import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Stack } from 'aws-cdk-lib';
import { Annotations, Match, Template } from 'aws-cdk-lib/assertions';
import { currentHostSoftware } from '../../constructs/host/in-image';
import { loadConfig } from '../../lib/config';
import type { DeploymentConfig } from '../../lib/config-types';
import { createDeployment, type Deployment } from '../../lib/deployment';
import { type ImageRecord, writeImages } from '../../lib/image-record';
import { testApp } from '../helpers/app';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'images-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function deployed(config: DeploymentConfig, images?: ImageRecord['images']): Deployment {
  const record = join(folder, 'mine.images.json');
  if (images) writeImages(record, { images });
  return createDeployment(testApp(), 'mine', config, join(folder, 'none.json'), record);
}

const lustre = (): DeploymentConfig => {
  const { benchmark: _, gameDay: __, ...config } = loadConfig('sas-grid-lustre');
  return {
    ...config,
    storage: { ...config.storage!, image: { build: {} } },
    grid: { ...config.grid!, image: { build: { lustreVersion: '2.17.0' } } },
  };
};

const imagesOf = (stack: Stack | undefined): unknown[] =>
  Object.values(Template.fromStack(stack!).findResources('AWS::EC2::LaunchTemplate')).map(
    ({ Properties }) => Properties.LaunchTemplateData.ImageId,
  );

test('images are built in a stack of their own, and asked for until one is recorded', () => {
  const { images, storage } = deployed(lustre());
  const pipelines = Template.fromStack(images!);
  pipelines.resourceCountIs('AWS::ImageBuilder::ImagePipeline', 2);
  pipelines.resourceCountIs('AWS::S3::Bucket', 1);
  expect(new Set(imagesOf(storage).map((id) => JSON.stringify(id)))).toEqual(
    new Set(['{"Ref":"ImageOfStorageImage"}']),
  );
  // The servers' stack waits for nothing of it: a build that fails keeps nobody from an update.
  expect(storage.dependencies.map(({ stackName }) => stackName)).not.toContain('mine-images');
});

test('what is recorded is launched, with short user data; what is newer is told', () => {
  const software = currentHostSoftware();
  const newer = { imageId: 'ami-0fedcba9876543210', built: '2026-12-01' };
  const { images, storage, grid } = deployed(lustre(), {
    storage: { imageId: 'ami-0123456789abcdef0', built: '2026-11-27', software, newer },
    grid: { imageId: 'ami-00000000000000001', built: '2026-11-27' },
  });
  expect(new Set(imagesOf(storage))).toEqual(new Set(['ami-0123456789abcdef0']));
  Template.fromStack(grid!).allResourcesProperties('AWS::EC2::Instance', {
    ImageId: 'ami-00000000000000001',
  });
  const bytes = Object.values(Template.fromStack(storage).findResources('AWS::EC2::LaunchTemplate')).map(
    ({ Properties }) => JSON.stringify(Properties.LaunchTemplateData.UserData).length,
  );
  expect(Math.max(...bytes)).toBeLessThan(4000);
  Annotations.fromStack(images!).hasInfo(
    '*',
    Match.stringLikeRegexp('ami-0fedcba9876543210 of 2026-12-01 is newer'),
  );
});

test('a configuration without a build has no such stack, and launches what it names', () => {
  expect(deployed(loadConfig('sas-grid-nfs')).images).toBeUndefined();
});

test('NFS and io2 servers, too', () => {
  for (const [name, key] of [
    ['sas-grid-nfs', 'nfs'],
    ['sas-server-io2', 'io2'],
  ] as const) {
    const config = loadConfig(name);
    const { images, storage } = deployed({ ...config, [key]: { ...config[key]!, image: { build: {} } } });
    Template.fromStack(images!).resourceCountIs('AWS::ImageBuilder::ImagePipeline', 1);
    expect(imagesOf(storage)).toContainEqual({ Ref: 'ImageOfStorageImage' });
  }
});

test('where the network exists already, there is nothing to build in', () => {
  const config = loadConfig('nfs-storage-server');
  expect(() => deployed({ ...config, nfs: { ...config.nfs!, image: { build: {} } } })).toThrow(
    /image.build needs a network of the deployment/,
  );
});
