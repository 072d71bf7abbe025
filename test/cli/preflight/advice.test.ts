import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const CHECKS = resolve(__dirname, '../../../cli/preflight/checks');

test('nobody is told to delete anything, or to go on with a rollback: either may take data along', () => {
  const destructive = /\baws [a-z0-9]+ delete-|'delete-|continue-update-rollback|cdk (destroy|rollback)/;
  const found = readdirSync(CHECKS).filter((name) =>
    destructive.test(readFileSync(join(CHECKS, name), 'utf8')),
  );
  expect(found).toEqual([]);
});
