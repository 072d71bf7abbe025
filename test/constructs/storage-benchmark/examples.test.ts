import { readdirSync } from 'node:fs';
import { join } from 'node:path';

const EXAMPLES = join(__dirname, '../../../constructs/storage-benchmark/examples');

test.each(readdirSync(EXAMPLES))('%s makes what it shows', async (file) => {
  await expect(import(join(EXAMPLES, file))).resolves.toBeDefined();
});
