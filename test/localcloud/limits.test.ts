import { readFileSync } from 'node:fs';
import { LIMITS_FILE, limitsText } from '../../scripts/export-limits';

test('the embedded AWS enforces the limits of constructs/sizing (else: npx tsx scripts/export-limits.ts)', () => {
  expect(readFileSync(LIMITS_FILE, 'utf8')).toBe(limitsText());
});
