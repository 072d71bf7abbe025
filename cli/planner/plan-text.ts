import {
  type Design,
  mbpsText,
  type Need,
  type Plan,
  short,
  thousands,
  usdText,
} from '../../constructs/sizing/plan';
import type { Terminal } from '../terminal';
import { type Column, tableLines, wrapped } from './columns';
import { explainDesign } from './explain';
import { limitInShort } from './limit-words';
import { bindingLimit, buildText, counted, grouped, perCoreText, percent } from './words';

/** Where output is no terminal nothing is left out of the table, and sentences are as wide as a page. */
const PAGE = 120;

/** Prints a plan for people. */
export function printPlan(
  terminal: Terminal,
  plan: Plan,
  chosen: Design | undefined,
  columns?: number,
): void {
  const width = columns ?? PAGE;
  const paragraph = (text: string, first = '', indent?: string) => {
    for (const line of wrapped(text, width, first, indent)) terminal.line(line);
  };
  paragraph(wanted(plan.need!));
  printDesigns(terminal, plan, chosen, columns);
  const infeasible = plan.designs.filter((one) => !one.feasible);
  if (infeasible.length) {
    terminal.heading('Not these');
    for (const { id, reason = '' } of infeasible) paragraph(grouped(reason), `  ${id}: `, ' '.repeat(6));
  }
  if (chosen) {
    terminal.heading(chosen.id === plan.cheapest ? 'Recommended' : `About ${chosen.id}`);
    for (const sentence of explainDesign(plan, chosen)) paragraph(sentence);
    printBill(terminal, chosen, width);
  }
  terminal.heading('To be known');
  for (const note of notes(plan, chosen)) paragraph(note, '- ');
}

function wanted(need: Need): string {
  const { nodes, nodeType, cores, sharedMBpsPerCore, sharedMBps, readShare, capacityTB, clients } = need;
  const grid =
    `${nodeType ? `${thousands(nodes)} x ${nodeType}` : counted(nodes, 'node')} with ` +
    `${counted(cores, 'core')}`;
  const others = clients > nodes ? `, ${thousands(clients)} clients` : '';
  return (
    `${grid}${others}, ${need.region}: ${perCoreText(sharedMBpsPerCore)} MB/s of shared space for each core, ` +
    `${mbpsText(sharedMBps)} in all, ${percent(readShare)} of it read; ` +
    `${grouped(`${Math.round(capacityTB * 1000) / 1000} TB`)}; durability ${need.durability}, availability ` +
    `${need.availability}.`
  );
}

function printDesigns(terminal: Terminal, plan: Plan, chosen: Design | undefined, columns?: number): void {
  const rows = plan.designs.filter((one) => one.feasible).sort(byPrice);
  if (!rows.length) {
    terminal.heading(terminal.style('No design gives what is wanted.', 'red'));
    return;
  }
  terminal.line();
  const lines = tableLines(tableColumns(plan, chosen), rows, columns ?? Number.POSITIVE_INFINITY);
  for (const [index, line] of lines.entries()) {
    const row = rows[index - 2];
    terminal.line(
      index === 0
        ? terminal.style(line, 'bold')
        : row === undefined
          ? terminal.style(line, 'dim')
          : row === chosen
            ? terminal.style(line, 'green')
            : line,
    );
  }
  const legend = [
    ...(chosen ? ['> is explained below'] : []),
    ...(plan.frontier.length ? ['* no other gives as much for as little'] : []),
    ...(rows.some(({ cost }) => isPartial(cost)) ? ['from: part of it is not known'] : []),
  ];
  const inOne = legend.join('   ');
  for (const line of inOne.length <= (columns ?? PAGE) ? [inOne].filter(Boolean) : legend) {
    terminal.line(terminal.style(line, 'dim'));
  }
}

function tableColumns({ need, frontier }: Plan, chosen: Design | undefined): Column<Design>[] {
  return [
    { title: '', text: (one) => `${one === chosen ? '>' : ' '}${frontier.includes(one.id) ? '*' : ' '}` },
    { title: 'Design', text: ({ id }) => id },
    { title: 'MB/s', right: true, droppable: 1, text: ({ mixedMBps = 0 }) => thousands(mixedMBps) },
    { title: 'per core', right: true, text: ({ perCore }) => perCoreText(perCore?.mixedMBps ?? 0) },
    {
      title: 'bound by',
      droppable: 2,
      text: ({ prediction }) => {
        const limit = prediction && bindingLimit(prediction, need!.readShare);
        return limit ? limitInShort(limit) : 'not known';
      },
    },
    { title: 'TB', right: true, droppable: 3, text: ({ capacityTB = 0 }) => short(capacityTB) },
    { title: 'USD/month', right: true, text: leastPrice },
    { title: 'to build', droppable: 4, text: ({ storage, managed }) => buildText(storage!, managed) },
  ];
}

/** What of it is known is the least that it costs. */
function leastPrice({ cost }: Design): string {
  return isPartial(cost) ? `from ${thousands(cost!.knownUsd)}` : price(cost?.usd);
}

const isPartial = (cost: Design['cost']): boolean =>
  cost !== undefined && cost.usd === undefined && Math.round(cost.knownUsd) > 0;

const price = (usd: number | undefined): string => (usd === undefined ? 'not known' : thousands(usd));

/** The cheapest first; what is not known last. */
function byPrice(a: Design, b: Design): number {
  const [one, other] = [a.cost?.usd ?? Number.POSITIVE_INFINITY, b.cost?.usd ?? Number.POSITIVE_INFINITY];
  return one === other ? 0 : one - other;
}

function printBill(terminal: Terminal, { cost }: Design, width: number): void {
  const bill: Column<{ what: string; usd?: number }>[] = [
    { title: 'USD/month', right: true, text: ({ usd }) => price(usd) },
    { title: 'for', text: ({ what }) => grouped(what) },
  ];
  terminal.line();
  for (const line of tableLines(bill, cost?.items ?? [], width)) terminal.line(line);
}

function notes(plan: Plan, chosen: Design | undefined): string[] {
  const { grid, cheapest, designs } = plan;
  const most = designs.find(({ id }) => id === cheapest)?.cost?.usd;
  const perhaps = designs.filter(
    ({ feasible, cost }) => feasible && cost?.usd === undefined && (cost?.knownUsd ?? 0) < (most ?? 0),
  );
  return [
    ...(grid?.temporary ? [`Temporary space: ${grid.temporary.text}`] : []),
    ...(grid?.cost
      ? [`The nodes are the same with every design and not in its price: ${usdText(grid.cost.usd)} a month.`]
      : []),
    ...(cheapest === undefined && designs.some(({ feasible }) => feasible)
      ? ['There is no recommendation: of no design that gives what is wanted the price is known.']
      : []),
    ...(perhaps.length
      ? [
          `Part of the price of ${perhaps.map(({ id }) => id).join(', ')} is not known: ` +
            `${perhaps.length === 1 ? 'it' : 'they'} may be cheaper.`,
        ]
      : []),
    ...(chosen ? [chosen.recovery, ...chosen.notes, ...(chosen.prediction?.unknown ?? [])] : []),
    ...plan.notes,
  ];
}
