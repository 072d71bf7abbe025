import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import type { DeploymentConfig } from '../../../lib/config-types';
import { writeImages } from '../../../lib/image-record';
import { withBuiltImages } from '../../../lib/image-stack';
import { createCatalog } from '../../../lib/service-catalog/catalog';
import { loadCatalog } from '../../../lib/service-catalog/catalog-config';

const NAME = 'service-catalog';
const IMAGE = { imageId: 'ami-0123456789abcdef0', built: '2026-11-28T00:00:00Z' };

/** The parameters of a product, with the images that were built for its deployment. */
function parametersOf(deployment: string, images: object): Record<string, { Default?: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'catalog-'));
  try {
    writeImages(join(folder, `${deployment}.images.json`), { images });
    const app = new App({ builtinCloudFormationValidation: false, outdir: folder });
    const all = loadCatalog(NAME);
    const products = all.products.filter((each) => each.deployment === deployment);
    const surroundings = {
      account: '111122223333',
      region: 'eu-central-1',
      versions: '/nonexistent',
      images: folder,
    };
    const stack = createCatalog(app, NAME, { ...all, products, version: '1.0.0' }, surroundings);
    app.synth();
    return JSON.parse(readFileSync(join(folder, stack.products[deployment]!.templateFile), 'utf8'))
      .Parameters;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test('the image that was built for a deployment is the default of its product', () => {
  const { ServerImage, GridImage } = parametersOf('sas-grid-lustre', { storage: IMAGE });
  expect(ServerImage).toMatchObject({ Type: 'AWS::EC2::Image::Id', Default: IMAGE.imageId });
  // None is built for it: whoever launches it chooses one.
  expect(GridImage).not.toHaveProperty('Default');
});

test('where none was built yet, whoever launches the product chooses one', () => {
  expect(parametersOf('sas-grid-lustre', {}).ServerImage).not.toHaveProperty('Default');
});

const network = { availabilityZone: 'eu-central-1a' };
const build = {};
const amiId = IMAGE.imageId;

test.each([
  ['storage', { storage: { image: { build } } }, { storage: { image: { amiId } } }],
  ['nfs', { nfs: { image: { build } } }, { nfs: { image: { amiId } } }],
  ['io2', { io2: { image: { build } } }, { io2: { image: { amiId } } }],
  [
    'storage and grid',
    { nfs: { image: { build } }, grid: { image: { build } } },
    { nfs: { image: { amiId } }, grid: { image: { amiId: 'ami-0fedcba9876543210' } } },
  ],
  [
    'none that names its own',
    { nfs: { image: { amiId: 'ami-1' } }, grid: {} },
    { nfs: { image: { amiId: 'ami-1' } }, grid: {} },
  ],
])('what is built takes the place of what is to be built: %s', (_, config, expected) => {
  const grid = { ...IMAGE, imageId: 'ami-0fedcba9876543210' };
  const found = withBuiltImages({ network, ...config } as unknown as DeploymentConfig, {
    storage: IMAGE,
    grid,
  });
  expect(found).toEqual({ network, ...expected });
});
