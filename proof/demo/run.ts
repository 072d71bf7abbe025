/** The demo: deploy to the embedded AWS, terminate storage servers, verify the recoveries, tear down. */
import { catalogNames } from '../../lib/service-catalog/catalog-config';
import { start } from '../kit/program';
import { CatalogDemo } from './catalog-demo';
import { Demo } from './demo';
import { parseOptions, USAGE } from './options';

start({
  usage: USAGE,
  parse: parseOptions,
  make: (options, root, terminal) =>
    catalogNames().includes(options.deployment)
      ? new CatalogDemo(options, root, terminal)
      : new Demo(options, root, terminal),
});
