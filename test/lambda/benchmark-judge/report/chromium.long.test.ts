import { reportHtml } from '../../../../lambda/benchmark-judge/report';
import { Chromium, findChromium } from '../../../helpers/chromium';
import { everyString, HOSTILE, sampleResult } from '../report-samples';

const UNBROKEN = 'without-a-place-to-break'.replace(/-/g, '').repeat(4);
const LONG = `/srv/${'a-directory-with-a-long-name/'.repeat(3)}${UNBROKEN}`;
const long = everyString(sampleResult({ hosts: 3, runs: 5 }), (text) =>
  text.replace(/\/sasdata|grid-node/g, LONG),
);

const PAGES: [name: string, page: string][] = [
  ['4 hosts and 12 earlier runs', reportHtml(sampleResult())],
  [
    '128 hosts and 50 earlier runs',
    reportHtml(
      sampleResult(
        { hosts: 128, runs: 50 },
        { notRepresentative: 'Measured on the local disk of one machine by the embedded AWS.' },
      ),
    ),
  ],
  ['one host and its first run', reportHtml(sampleResult({ hosts: 1, runs: 0 }))],
  ['long names', reportHtml(long)],
];

const WIDE = { width: 1280, height: 900 };
/** A window of 1280 x 1024 at a zoom of 400 %. */
const ZOOMED = { width: 320, height: 256, scale: 4 };
/** What lies between the margins of A4. */
const PAPER = { width: 703, height: 1000, print: true };

/** Functions for the page. */
const HELPERS = `
const shown = (selector) => [...document.querySelectorAll(selector)].filter((e) => e.getClientRects().length > 0);
const charts = () => shown('.chart svg').map((svg) => {
  const box = svg.getBoundingClientRect();
  const texts = [...svg.querySelectorAll('text')]
    .map((t) => ({ text: t.textContent, box: t.getBoundingClientRect() }))
    .filter(({ box }) => box.width > 0);
  return { svg, box, texts };
});
const within = (a, b) =>
  a.left >= b.left - 1 && a.right <= b.right + 1 && a.top >= b.top - 1 && a.bottom <= b.bottom + 1;
const overlap = (a, b) =>
  Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 &&
  Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 3;
`;

const program = findChromium();
const why = program === undefined ? ' (not run: there is no Chromium on this machine)' : '';
const title = `the report in Chromium${why}`;

(program === undefined ? describe.skip : describe)(title, () => {
  let browser: Chromium;
  const ask = <T>(expression: string) =>
    browser.evaluate<T>(`(() => { ${HELPERS} return ${expression}; })()`);

  beforeAll(async () => {
    browser = await Chromium.start(program!);
  });
  afterAll(() => browser?.stop());

  describe.each(PAGES)('with %s', (_name, page) => {
    describe.each([
      ['on a wide screen', WIDE],
      ['at a zoom of 400 %', ZOOMED],
      ['on paper', PAPER],
    ])('%s', (where, viewport) => {
      beforeAll(() => browser.open(page, viewport));

      test('nothing is complained about, and nothing asked for', () =>
        expect(browser.complaints).toEqual([]));

      test('its charts are drawn', async () => {
        const drawn = await ask<number[]>(
          `charts().map(({ svg }) => [...svg.querySelectorAll('path, rect, polyline')].filter((e) => {
            const { width, height } = e.getBoundingClientRect();
            return width * height > 0 && getComputedStyle(e).fill !== 'none';
          }).length)`,
        );
        expect(drawn.length).toBeGreaterThanOrEqual(8);
        expect(Math.min(...drawn)).toBeGreaterThan(0);
      });

      test('the texts of its charts are inside of them, and apart from each other', async () => {
        expect(
          await ask(
            `charts().flatMap(({ box, texts }) => texts.filter((t) => !within(t.box, box)).map(({ text }) => text))`,
          ),
        ).toEqual([]);
        expect(
          await ask(
            `charts().flatMap(({ texts }) => texts.flatMap((a, i) =>
              texts.slice(i + 1).filter((b) => overlap(a.box, b.box)).map((b) => a.text + ' | ' + b.text)))`,
          ),
        ).toEqual([]);
      });

      test('the texts of its charts are large enough to be read', async () => {
        // 14 pixels wide, 12 on a narrow screen; a page of paper is smaller than the drawing.
        const least = where === 'on paper' ? 8 : 9;
        const sizes = await ask<number[]>(
          `charts().flatMap(({ svg, box, texts }) => texts.map(() =>
            box.width / svg.viewBox.baseVal.width *
              parseFloat(getComputedStyle(svg.querySelector('text')).fontSize)))`,
        );
        expect(Math.min(...sizes)).toBeGreaterThan(least);
      });

      test('nothing is wider than the page but what scrolls on its own', async () => {
        const wide = await ask<string[]>(
          `[
            document.documentElement.scrollWidth > innerWidth ? 'page' : undefined,
            ...shown('main *:not(svg *)')
              .filter((e) => !e.parentElement.closest('.scroll'))
              .filter((e) => e.getBoundingClientRect().right > document.documentElement.clientWidth + 1)
              .map((e) => e.outerHTML.slice(0, 80)),
          ].filter(Boolean)`,
        );
        expect(wide).toEqual([]);
      });
    });

    test('on paper every table is shown as a whole', async () => {
      await browser.open(page, PAPER);
      expect(
        await ask(
          `shown('.scroll').filter((e) => e.scrollWidth > e.clientWidth + 1).map((e) => e.getAttribute('aria-label'))`,
        ),
      ).toEqual([]);
    });

    test('it can be printed to a PDF', async () => {
      await browser.open(page, WIDE);
      const pdf = (await browser.pdf()).toString('latin1');
      expect(pdf.slice(0, 5)).toBe('%PDF-');
      expect(pdf.match(/\/Type \/Page\b(?!s)/g)!.length).toBeGreaterThan(3);
    });
  });

  test.each([
    ['light', false],
    ['dark', true],
  ])('its text can be read on %s ground', async (_name, dark) => {
    await browser.open(PAGES[1]![1], { ...WIDE, dark });
    const weak = await ask<string[]>(`(() => {
      const numbers = (colour) => colour.match(/[\\d.]+/g).map(Number);
      const linear = (v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
      const light = (colour) => {
        const [r, g, b] = numbers(colour).map((v) => linear(v / 255));
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
      };
      const ground = (e) => {
        for (; e; e = e.parentElement) {
          const c = getComputedStyle(e).backgroundColor;
          if (numbers(c)[3] !== 0) return c;
        }
      };
      const contrast = (a, b) => {
        const [x, y] = [light(a), light(b)].sort((m, n) => n - m);
        return (x + 0.05) / (y + 0.05);
      };
      const own = (e) => [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
      const texts = shown('main *:not(svg *)')
        .filter(own)
        .map((e) => [e.className || e.tagName, getComputedStyle(e).color, ground(e)]);
      const marks = shown('.chart svg text')
        .map((e) => ['chart', getComputedStyle(e).fill, ground(e.closest('.card'))]);
      const weak = [...texts, ...marks].filter(([, colour, behind]) => contrast(colour, behind) < 4.5);
      return [...new Set(weak.map((all) => all.join(' on ')))];
    })()`);
    expect(weak).toEqual([]);
  });

  test('dark and light differ, and paper is always light', async () => {
    const ground = () => ask<string>(`getComputedStyle(document.querySelector('.card')).backgroundColor`);
    await browser.open(PAGES[0]![1], WIDE);
    const light = await ground();
    await browser.open(PAGES[0]![1], { ...WIDE, dark: true });
    expect(await ground()).not.toBe(light);
    await browser.open(PAGES[0]![1], { ...PAPER, dark: true });
    expect(await ground()).toBe(light);
  });

  test('tables that scroll can be scrolled by keyboard, and say what they are', async () => {
    await browser.open(PAGES[0]![1], ZOOMED);
    const scrolling = await ask<[number, string][]>(
      `shown('.scroll')
        .filter((e) => e.scrollWidth > e.clientWidth)
        .map((e) => [e.tabIndex, e.getAttribute('aria-label')])`,
    );
    expect(scrolling.length).toBeGreaterThan(3);
    for (const [tabIndex, label] of scrolling) expect([tabIndex, label.length > 5]).toEqual([0, true]);
  });

  test('values that are HTML are text', async () => {
    const hostile = sampleResult({ hosts: 2, runs: 3 }, { problems: ['p'], notRepresentative: 'n' });
    await browser.open(reportHtml(everyString(hostile, (text) => HOSTILE + text)), WIDE);
    expect(browser.complaints).toEqual([]);
    expect(
      await ask(
        `[document.images.length, document.scripts.length, document.querySelectorAll('[onerror]').length]`,
      ),
    ).toEqual([0, 0, 0]);
    expect(await ask(`document.querySelector('h1').textContent`)).toContain('<script>');
  });
});
