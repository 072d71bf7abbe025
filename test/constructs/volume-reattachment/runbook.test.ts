import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { deviceName } from '../../../constructs/volume-reattachment/slots';

const page = readFileSync('docs/operations/failover.md', 'utf8');
const definition = /^device\(\) \{.*?; \}$/ms.exec(page)![0];

const device = (position: number): string =>
  execFileSync('bash', ['-c', `${definition}\ndevice ${position}`], { encoding: 'utf8', stdio: 'pipe' });

describe('the runbook names devices', () => {
  test.each([0, 10, 11, 12, 36])('as the construct does: volume %i', (position) => {
    expect(device(position)).toBe(`${deviceName(position)}\n`);
  });

  test('and gives no half name where there is none', () => {
    expect(() => device(37)).toThrow('there is no name for the position 37');
  });

  test('wherever it attaches a volume or writes a row', () => {
    expect(page.match(/\$\(device \$position\)/g)).toHaveLength(2);
    expect(page.replace(definition, '')).not.toMatch(/\/dev\/sd/);
  });
});
