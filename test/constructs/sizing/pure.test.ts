import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

test('sizing imports nothing from the CDK', () => {
  const folder = join(__dirname, '../../../constructs/sizing');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  );
  expect(files.length).toBeGreaterThan(5);
  for (const file of files)
    expect(readFileSync(join(folder, file), 'utf8')).not.toMatch(/from '(aws-cdk-lib|constructs)/);
});
