import {
  BarController,
  BarElement,
  CategoryScale,
  Chart,
  LinearScale,
  LineElement,
  LogarithmicScale,
  type Plugin,
  PointElement,
  ScatterController,
  Tooltip,
} from 'chart.js';
import { colours } from './theme';

// Only the parts that are used: the others stay out of the bundle.
Chart.register(
  BarController,
  BarElement,
  CategoryScale,
  LinearScale,
  LineElement,
  LogarithmicScale,
  PointElement,
  ScatterController,
  Tooltip,
);
// A value is shown at once: an animation would show wrong ones in between, and takes time.
Chart.defaults.animation = false;
Chart.defaults.maintainAspectRatio = false;
Chart.defaults.font.family = 'system-ui, sans-serif';

const PADDING = 4;

/** A vertical line at the throughput that is wanted. */
export function wantedLine(wanted: () => number, text: (mbps: number) => string): Plugin {
  return {
    id: 'wanted',
    afterDatasetsDraw: ({ ctx, chartArea, scales }) => {
      const { x: scale } = scales;
      const mbps = wanted();
      if (!scale || !(mbps >= scale.min && mbps <= scale.max)) return;
      const x = scale.getPixelForValue(mbps);
      const { wanted: colour } = colours();
      ctx.save();
      ctx.strokeStyle = colour;
      ctx.fillStyle = colour;
      ctx.setLineDash([5, 4]);
      ctx.lineWidth = 1.5;
      ctx.beginPath();
      ctx.moveTo(x, chartArea.top);
      ctx.lineTo(x, chartArea.bottom);
      ctx.stroke();
      const label = text(mbps);
      const right = x + PADDING + ctx.measureText(label).width < chartArea.right;
      ctx.textAlign = right ? 'left' : 'right';
      ctx.textBaseline = 'bottom';
      ctx.fillText(label, right ? x + PADDING : x - PADDING, chartArea.top - 2);
      ctx.restore();
    },
  };
}

export { Chart };
