import { axisBelow, fromZero, lineAt, logarithmic, roundEnd } from '../../../../lambda/shared/chart/axes';
import { svg, wrap } from '../../../../lambda/shared/chart/drawing';
import { type RowChart, rowChart } from '../../../../lambda/shared/chart/row-chart';
import { mark, path } from '../../../../lambda/shared/chart/symbols';

const PLOT = { left: 100, right: 900, top: 20, bottom: 220, width: 1000 };
const textsOf = (drawn: string) => [...drawn.matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map(([, text]) => text);

test('names break at blanks and slashes, and nowhere else while they fit', () => {
  expect(wrap('/sasdata, write, random data (SAS-style I/O)', 34)).toEqual([
    '/sasdata, write, random data',
    '(SAS-style I/O)',
  ]);
  expect(wrap(`/${'x'.repeat(40)}`, 20).map((line) => line.length)).toEqual([1, 20, 20]);
  expect(wrap('word '.repeat(50), 20).at(-1)).toMatch(/…$/);
});

test.each([[0], [0.3], [7], [46.2], [214.9], [93_750], [1e7], [Number.NaN]])(
  'an axis from zero to %d ends soon after it',
  (value) => {
    const end = roundEnd(value);
    expect(end).toBeGreaterThan(0);
    expect(end).toBeGreaterThanOrEqual(value || 0);
    if (value > 0) expect(end / value).toBeLessThan(2.01);
  },
);

test.each([[[5_522]], [[1_200, 9_400]], [[3, 2e6]], [[1_000, 1_000]], [[]], [[0, Number.NaN]]])(
  'a logarithmic axis of %j has room for its values, and tells at least two numbers',
  (values: number[]) => {
    const scale = logarithmic(values).range([PLOT.left, PLOT.right]);
    for (const value of values.filter((one) => one > 0)) {
      expect(scale(value)).toBeGreaterThanOrEqual(PLOT.left);
      expect(scale(value)).toBeLessThanOrEqual(PLOT.right);
    }
    const texts = textsOf(axisBelow(scale, PLOT, { font: 14, text: String, unit: 'USD' }).join(''));
    expect(texts.at(-1)).toBe('USD');
    const numbers = texts.slice(0, -1).map(Number);
    expect(numbers.length).toBeGreaterThan(1);
    for (const number of numbers) expect([1, 2, 5]).toContain(Number(number.toExponential()[0]));
  },
);

test('a line at a value says what it is, and is left out where the axis does not reach', () => {
  const scale = fromZero(100).range([PLOT.left, PLOT.right]);
  expect(textsOf(lineAt(scale(99), 'wanted: 99', PLOT, 14, 'red').join(''))).toEqual(['wanted: 99']);
  expect(lineAt(scale(120), 'wanted: 120', PLOT, 14, 'red')).toEqual([]);
});

describe('a chart in rows', () => {
  const chart: RowChart = {
    rows: [
      { name: 'network of the <nodes>', value: '9,375 MB/s' },
      { name: 'volumes', value: '1 MB/s' },
    ],
    end: 10_000,
    unit: 'MB/s',
    number: String,
    marks: (rows) => [rows.bar(0, 0, 9_375, 'blue'), rows.bar(1, 0, 0, 'blue', 3)],
  };

  test('has names and values beside the bars where there is room', () => {
    const texts = textsOf(svg(rowChart(chart, { width: 1000, font: 14 })).text);
    for (const text of ['network of the &lt;nodes&gt;', '9,375 MB/s', 'volumes', '10000', 'MB/s'])
      expect(texts).toContain(text);
  });

  test('has them above the bars where there is none, and breaks no value', () => {
    const texts = textsOf(svg(rowChart(chart, { width: 230, font: 12 })).text);
    expect(texts).toContain('network of the &lt;nodes&gt;:');
    expect(texts).toContain('9,375 MB/s');
    expect(texts).toContain('volumes: 1 MB/s');
  });

  test('shows a bar of nothing where it has to be seen', () => {
    const widths = [
      ...svg(rowChart(chart, { width: 1000, font: 14 })).text.matchAll(/width="([\d.]+)"[^>]*fill="blue"/g),
    ];
    expect(Math.min(...widths.map(([, width]) => Number(width)))).toBeGreaterThanOrEqual(3);
  });
});

test('a line has a gap where a value is missing, and steps where it is asked to', () => {
  const drawn = path([[0, 0], [1, 1], undefined, [3, 3], [4, 4]], { stroke: 'red', dashes: '2 3' }).text;
  expect(drawn.match(/M/g)).toHaveLength(2);
  expect(drawn).toContain('stroke-dasharray="2 3"');
  expect(
    path(
      [
        [0, 5],
        [10, 9],
      ],
      { stroke: 'red', steps: true },
    ).text,
  ).toContain('d="M0,5L0,9L10,9"');
});

test('what is no number is not drawn', () => {
  expect(mark(Number.NaN, 3, { symbol: 'circle', size: 7, fill: 'red' }).text).toBe('');
  const points: [number, number][] = [
    [0, 0],
    [1, Number.NaN],
    [2, 2],
    [3, 3],
  ];
  expect(path(points, { stroke: 'red' }).text).not.toContain('NaN');
  const rows = [{ name: 'a', value: 'not known' }];
  const broken = rowChart(
    {
      rows,
      end: roundEnd(Number.NaN),
      unit: 'MB/s',
      number: String,
      marks: (drawn) => [drawn.bar(0, 0, Number.NaN, 'red'), drawn.tick(0, Number.NaN)],
      line: { at: Number.NaN, text: 'wanted' },
    },
    { width: 1000, font: 14 },
  );
  expect(svg(broken).text).not.toMatch(/NaN|red/);
});
