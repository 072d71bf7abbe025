import { markdown, median, replaceBetweenMarkers, toRow } from '../../proof/bench/measurement';
import { parseOptions } from '../../proof/bench/options';

test('the median of odd and even counts, and none of nothing', () => {
  expect(median([3, 1, 2])).toBe(2);
  expect(median([4, 1, 2, 3])).toBe(2.5);
  expect(() => median([])).toThrow();
});

test.each([
  [{ value: 1.2, goal: 1.5 }, ['1.20 x', '<= 1.5 x', 'yes']],
  [{ value: 1.6, goal: 1.5 }, ['1.60 x', '<= 1.5 x', 'no']],
  [{ goal: 1.5 }, ['-', '<= 1.5 x', '']],
  [{ value: 1.6 }, ['1.60 x', '', '']],
])('a row says whether the goal is met: %j', (numbers, cells) => {
  expect(toRow({ name: 'a', unit: 'x', note: 'how', ...numbers })).toEqual(['a', ...cells, 'how']);
});

test('a Markdown cell cannot break its table', () => {
  expect(markdown([{ name: 'a|b', unit: 's', note: '' }]).split('\n')[2]).toBe('| a\\|b | - |  |  |  |');
});

test('only what stands between the markers is replaced', () => {
  const document = 'before\n<!-- bench: begin -->\nold\n<!-- bench: end -->\nafter\n';
  expect(replaceBetweenMarkers(document, 'new')).toBe(document.replace('old', 'new'));
  expect(() => replaceBetweenMarkers('no markers', 'new')).toThrow('bench: begin');
});

test('options have defaults and bounds', () => {
  expect(parseOptions([])).toEqual({ repetitions: 3, demo: false, scale: false, write: false, help: false });
  expect(() => parseOptions(['--repetitions', '0'])).toThrow('from 1 to 20');
  expect(() => parseOptions(['--wrong'])).toThrow();
});
