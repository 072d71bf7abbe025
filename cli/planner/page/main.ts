import {
  costCurve,
  type Design,
  type Plan,
  plan,
  short,
  thousands,
  usdText,
} from '../../../constructs/sizing/plan';
import { ChosenDesign } from './chosen';
import { copyLink } from './copy';
import { CostChart } from './cost-chart';
import { DesignTable } from './designs';
import { byId, fillFor, h, setText } from './dom';
import { Form } from './form';
import { hashOf, inputsOf } from './link';
import { priceDays, rowOf } from './rows';
import { wishOf } from './wish';

// Browsers refuse more than some changes of the address in a second, and what is read out must come to an end.
const SETTLED_MS = 400;

const form = new Form(schedule);
const table = new DesignTable(choose);
const chart = new CostChart(choose);
const detail = new ChosenDesign();
/** What is on the page. */
let shown: { readonly plan: Plan; readonly curve: ReturnType<typeof costCurve> } | undefined;
/** The design that a visitor chose; as long as nobody has, the cheapest one is looked at. */
let choice: string | undefined;
let frame = 0;
let settled: ReturnType<typeof setTimeout> | undefined;

/** Several changes between two pictures make one plan. */
function schedule(): void {
  if (frame === 0) frame = requestAnimationFrame(update);
}

function update(): void {
  frame = 0;
  const { wish, problems, others } = wishOf(form.inputs());
  if (wish) {
    shown = { plan: plan(wish), curve: costCurve(wish) };
    showPlan(shown.plan);
  }
  form.show(problems);
  fillFor(byId('other-problems'), others, () => others.map((sentence) => h('p', {}, sentence)));
  byId('stale').hidden = wish !== undefined;
  byId('results').classList.toggle('outdated', wish === undefined);
  // A file would not say that it is of before.
  byId<HTMLButtonElement>('download').disabled = wish === undefined;
  clearTimeout(settled);
  settled = setTimeout(showSettled, SETTLED_MS);
  performance.mark('planner-updated');
}

function showPlan(made: Plan): void {
  const chosen = showChosen();
  table.show(made);
  showSummary(made);
  table.mark(chosen?.id);
}

function choose(id: string): void {
  choice = id;
  table.mark(showChosen()?.id);
  showSettled();
}

/**
 * Shows the design that is looked at, the pictures first: to measure their texts makes the browser lay out anew
 * whatever has changed on the page before.
 */
function showChosen(): Design | undefined {
  if (!shown) return undefined;
  const { designs, cheapest, need } = shown.plan;
  const { curve } = shown;
  const feasible = designs.filter((design) => design.feasible);
  const wanted = feasible.find(({ id }) => id === choice) ?? feasible.find(({ id }) => id === cheapest);
  const chosen = wanted ?? feasible[0];
  chart.show({ designs, curve, cheapest, chosen: chosen?.id, wantedMBps: need!.sharedMBps });
  detail.show(chosen, need!);
  byId('cost').hidden = feasible.length === 0;
  return chosen;
}

function showSummary({ need, grid, designs, cheapest, notes }: Plan): void {
  const { cores, sharedMBps, region } = need!;
  const feasible = designs.filter((design) => design.feasible);
  const best = feasible.find(({ id }) => id === cheapest);
  setText(byId('wanted'), `${thousands(cores)} cores; ${thousands(sharedMBps)} MB/s of shared space wanted`);
  setText(byId('best-title'), best?.title ?? (feasible.length ? 'No price is known' : 'No design does'));
  setText(byId('best-cost'), best ? `${rowOf(best).cost} a month` : '');
  setText(
    byId('best-text'),
    best
      ? `${thousands(best.mixedMBps!)} MB/s, ${short(best.perCore!.mixedMBps)} per core.`
      : feasible.length
        ? `${feasible.length} designs do what is wanted.`
        : 'Below the table it says for each why not.',
  );
  const nodesUsd = grid?.cost?.usd;
  setText(byId('nodes-cost'), nodesUsd === undefined ? 'not known' : `${usdText(nodesUsd)} a month`);
  const sum = nodesUsd === undefined || !best ? undefined : nodesUsd + best.cost!.usd!;
  setText(byId('sum'), sum === undefined ? '' : `With the cheapest storage ${usdText(sum)}.`);
  const { temporary } = grid!;
  setText(
    byId('temporary-verdict'),
    temporary ? (temporary.feasible ? 'enough' : 'not enough') : 'not asked for',
  );
  setText(byId('temporary-text'), temporary?.text ?? '');
  byId('temporary-verdict').classList.toggle('bad', temporary?.feasible === false);
  const days = priceDays(region);
  setText(byId('prices'), days.length ? `Prices of ${region} in USD: ${days.join(', ')}.` : '');
  fillFor(byId('notes'), notes, () => notes.map((note) => h('li', {}, note)));
}

/** What follows a change once no other one comes: the address, and what is read out. */
function showSettled(): void {
  clearTimeout(settled);
  try {
    history.replaceState(null, '', hashOf(form.inputs(), choice));
  } catch {
    // Too many in a short time, or a browser that keeps addresses of files as they are: the button makes the link by
    // itself.
  }
  setText(
    byId('said'),
    byId('stale').hidden ? spokenSummary() : 'Some fields need mending; the results are of before.',
  );
}

function spokenSummary(): string {
  const text = (id: string) => byId(id).textContent;
  return (
    `${byId('rows').childElementCount} designs. Cheapest: ${text('best-title')}, ${text('best-cost')} ` +
    `${text('best-text')}`
  );
}

/** Fills the fields from the address. */
function restore(): void {
  const { inputs, design, ignored } = inputsOf(location.hash);
  choice = design;
  form.set(inputs);
  byId('ignored').hidden = ignored.length === 0;
  setText(
    byId('ignored'),
    `What the link says of these could not be read, and is left at its default: ${ignored.join(', ')}.`,
  );
  update();
}

byId('copy').addEventListener('click', () => copyLink(hashOf(form.inputs(), choice)));
byId('reset').addEventListener('click', () => {
  choice = undefined;
  form.set(inputsOf('').inputs);
  update();
});
// Another link that is pasted into the address; what the page itself writes there does not come back here.
addEventListener('hashchange', restore);
// What scrolls within the page is reached with a keyboard, in browsers that do not see to it themselves as well.
for (const element of document.querySelectorAll<HTMLElement>('.scroll')) element.tabIndex = 0;
restore();
