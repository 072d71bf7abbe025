import type { Design, Plan, Wish } from '../../constructs/sizing/plan';
import { explainDesign } from './explain';
import { bindingLimit, buildText } from './words';

/** Of the shape of the JSON; it changes when a program that reads it would have to. */
export const FORMAT = 1;

/** A plan for programs: cli/planner/plan.schema.json says what it is. A price that is not known is not there. */
export function planJson(wish: Wish, plan: Plan, chosen: Design | undefined): string {
  const { need, grid, designs, cheapest, frontier, notes } = plan;
  const chosenDesign = chosen && { id: chosen.id, explanation: explainDesign(plan, chosen) };
  const all = { format: FORMAT, wish, need, grid, designs, cheapest, frontier, chosen: chosenDesign, notes };
  return `${JSON.stringify(all, undefined, 2)}\n`;
}

type Cell = string | number | boolean | undefined;

/** The columns of the CSV, in their order; units are in their names. */
const COLUMNS: { readonly [name: string]: (design: Design, plan: Plan) => Cell } = {
  design: ({ id }) => id,
  title: ({ title }) => title,
  feasible: ({ feasible }) => feasible,
  reason: ({ reason }) => reason,
  cheapest: ({ id }, { cheapest }) => id === cheapest,
  on_frontier: ({ id }, { frontier }) => frontier.includes(id),
  to_build: ({ storage, managed }) => storage && buildText(storage, managed),
  servers: ({ storage }) => storage?.servers,
  server_type: ({ storage }) => storage?.serverType,
  read_mbps: ({ prediction }) => prediction?.readMBps,
  write_mbps: ({ prediction }) => prediction?.writeMBps,
  mixed_mbps: ({ mixedMBps }) => mixedMBps,
  read_mbps_per_core: ({ perCore }) => perCore?.readMBps,
  write_mbps_per_core: ({ perCore }) => perCore?.writeMBps,
  mixed_mbps_per_core: ({ perCore }) => perCore?.mixedMBps,
  bound_by: ({ prediction }, { need }) => prediction && bindingLimit(prediction, need!.readShare)?.name,
  capacity_tb: ({ capacityTB }) => capacityTB,
  usd_month: ({ cost }) => cost?.usd,
  known_usd_month: ({ cost }) => cost?.knownUsd,
  durability: ({ durability }) => durability,
  availability: ({ availability }) => availability,
};

/** A plan for spreadsheets (RFC 4180): a line for each design. What is not known is empty. */
export function planCsv(plan: Plan): string {
  const lines = plan.designs.map((design) => Object.values(COLUMNS).map((cell) => cell(design, plan)));
  return [Object.keys(COLUMNS), ...lines].map((cells) => `${cells.map(csvCell).join(',')}\r\n`).join('');
}

function csvCell(value: Cell): string {
  const text = typeof value === 'number' ? String(Math.round(value * 100) / 100) : String(value ?? '');
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
