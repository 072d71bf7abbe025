import { type Drawing, figureOf } from '../../lambda/shared/report/chart';
import type { Html } from '../../lambda/shared/report/html';
import type { Step } from './recovery';

/** Two widths of the same chart: the page shows the one that fits, so text stays readable on a telephone. */
const WIDE = { width: 1000, labels: 290, font: 14 };
const NARROW = { width: 350, labels: 122, font: 11 };

/** A bar per step of a recovery, from its start to its end. Colours are the page's own, so that dark mode works. */
export function timeline(steps: Step[], total: number): Html {
  return figureOf(drawing(steps, total, WIDE), drawing(steps, total, NARROW));
}

function drawing(steps: Step[], total: number, size: typeof WIDE): Drawing {
  const row = size === WIDE ? 34 : 40;
  // Text is measured by estimate here, and real fonts run wider: the margin keeps labels from being cut off.
  const margin = 36;
  const height = steps.length * row + 46;
  const text = { color: 'var(--text)', fontSize: size.font, fontFamily: 'inherit' };
  return {
    width: size.width,
    height,
    option: {
      grid: { left: size.labels, right: size === WIDE ? 70 : 46, top: 8, bottom: 34 },
      xAxis: {
        type: 'value',
        min: 0,
        // A little air behind the last bar for its label.
        max: Math.max(1, Math.ceil(total)),
        splitNumber: size === WIDE ? 8 : 4,
        axisLabel: { ...text, color: 'var(--muted)', formatter: '{value} s', hideOverlap: true },
        splitLine: { lineStyle: { color: 'var(--line)' } },
      },
      yAxis: {
        type: 'category',
        inverse: true,
        data: steps.map(({ name }) => name),
        axisTick: { show: false },
        axisLine: { lineStyle: { color: 'var(--line)' } },
        axisLabel: { ...text, width: size.labels - margin, overflow: 'break', interval: 0 },
      },
      series: [
        {
          type: 'bar',
          stack: 'time',
          silent: true,
          itemStyle: { color: 'transparent' },
          data: steps.map((s) => s.start),
        },
        {
          type: 'bar',
          stack: 'time',
          silent: true,
          barWidth: size === WIDE ? 16 : 13,
          barMinHeight: 3,
          itemStyle: { color: 'var(--bar)', borderRadius: 3 },
          label: {
            show: true,
            position: 'right',
            ...text,
            formatter: ({ dataIndex }: { dataIndex: number }) => `${steps[dataIndex]!.seconds.toFixed(1)} s`,
          },
          data: steps.map(({ seconds }) => seconds),
        },
      ],
    },
  };
}
