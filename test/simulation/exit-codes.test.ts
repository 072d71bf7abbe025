import * as settings from '../../lambda/volume-reconciler/settings';
import { EXIT } from '../../proof/simulation/hosts/program';
import { codesInHelp, codesInReadme, codesInText, namedCodes } from './exit-codes/codes';
import { onRealHost } from './exit-codes/real-host';
import { SimulatedHost } from './exit-codes/simulated-host';
import { REAL_ALONE, SITUATIONS } from './exit-codes/situations';

const sorted = (codes: Iterable<number>): number[] => [...new Set(codes)].sort((a, b) => a - b);

/** Of the document's program alone. */
const OF_DOCUMENT = namedCodes().get('after_snapshot')!;

describe('the codes with which a host ends that is told to serve', () => {
  const inText = sorted(codesInText());

  test('are in its texts, and each is brought about below', () => {
    expect(inText).toEqual(sorted(SITUATIONS.map(({ code }) => code)));
    expect(sorted([...namedCodes().values(), 0])).toEqual(inText);
  });

  test('are those of the simulated host', () => {
    expect(sorted(Object.values(EXIT))).toEqual(inText);
  });

  test('are in the help of the program, and in the table for whoever reads', () => {
    expect(sorted([...codesInHelp(), OF_DOCUMENT])).toEqual(inText);
    const table = codesInReadme();
    expect(sorted(table.keys())).toEqual(inText);
    expect(table.get(OF_DOCUMENT)).toMatch(/^of the document only/);
  });

  test('are what the workflow takes them for', () => {
    const named = namedCodes();
    expect(settings).toMatchObject({
      EXIT_NOT_YET: named.get('EXIT_NOT_YET'),
      EXIT_OLD_EPOCH: named.get('EXIT_OLD_EPOCH'),
      EXIT_WRONG_DATA: named.get('EXIT_REFUSED'),
      EXIT_AFTER_SNAPSHOT: OF_DOCUMENT,
    });
    expect(named.get('not_yet')).toBe(named.get('EXIT_NOT_YET'));
  });
});

const THIRTY_SECONDS = 30_000;

test.each(SITUATIONS)(
  '$name: $code, on both sides',
  async ({ code, real, simulated, says = /./ }) => {
    const found = onRealHost(real);
    const host = await SimulatedHost.ready();
    const told = await simulated(host);
    expect({ real: found.exitCode, simulated: told.exitCode, said: [found.said, told.said] }).toEqual({
      real: code,
      simulated: code,
      said: [expect.stringMatching(says), expect.stringMatching(says)],
    });
    expect(host.host.serving || code !== 0).toBe(true);
  },
  THIRTY_SECONDS,
);

test.each(REAL_ALONE)(
  '$name: $code, on a real host',
  ({ code, real, says = /./ }) => {
    expect(onRealHost(real)).toEqual({ exitCode: code, said: expect.stringMatching(says) });
  },
  THIRTY_SECONDS,
);
