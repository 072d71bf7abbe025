import { type Design, mbpsText, type Plan, usdText } from '../../constructs/sizing/plan';
import { bindingLimit, buildText, counted, grouped, perCoreText, percent } from './words';

/**
 * The three sentences on a design: which one, what it gives and what binds it, what it costs and what else there is.
 */
export type Explanation = readonly [string, string, string];

/** Explains a design of a plan that is feasible. */
export function explainDesign(plan: Plan, design: Design): Explanation {
  return [whichDesign(plan, design), whatItGives(plan, design), whatItCosts(plan, design)];
}

function whichDesign(plan: Plan, design: Design): string {
  const { id, title, storage, managed } = design;
  const feasible = plan.designs.filter((one) => one.feasible);
  const among =
    feasible.length === 1
      ? 'the only design that gives what is wanted'
      : `${placeByPrice(plan, design, feasible)} of the ${feasible.length} designs that give what is wanted`;
  return `${id === plan.cheapest ? 'Take ' : ''}${title} (${id}): ${buildText(storage!, managed)}, ${among}.`;
}

function placeByPrice({ cheapest }: Plan, { id, cost }: Design, feasible: readonly Design[]): string {
  if (cost?.usd === undefined) return 'one whose price is not known';
  if (id === cheapest) return 'the cheapest';
  const cheaper = feasible.filter((one) => one.cost?.usd !== undefined && one.cost.usd < cost.usd!).length;
  return `number ${cheaper + 1} by price`;
}

function whatItGives({ need }: Plan, { mixedMBps = 0, perCore, prediction }: Design): string {
  const { cores, readShare, sharedMBpsPerCore } = need!;
  const limit = prediction && bindingLimit(prediction, readShare);
  const bound = limit ? `, and what binds it is ${grouped(limit.text)}` : '';
  const mix =
    readShare === 1
      ? 'reads'
      : readShare === 0
        ? 'writes'
        : `reads (${percent(readShare)}) and writes in turns`;
  return (
    `It gives ${mbpsText(mixedMBps)} of ${mix}, ${perCoreText(perCore?.mixedMBps ?? 0)} MB/s for each of ` +
    `${counted(cores, 'core')} where ${perCoreText(sharedMBpsPerCore)} are wanted${bound}.`
  );
}

function whatItCosts(plan: Plan, design: Design): string {
  const usd = design.cost?.usd;
  if (usd === undefined) {
    const known = design.cost?.knownUsd ?? 0;
    return (
      `What it costs is not known${known > 0 ? `, but not less than ${usdText(known)} a month` : ''}, so it is ` +
      'compared with no other.'
    );
  }
  const { cheaper, better } = alternatives(plan, design);
  const others = [
    ...(cheaper
      ? [
          `${cheaper === better ? 'better and cheaper' : 'the next cheaper'} is ${alternativeText(cheaper, usd)}`,
        ]
      : []),
    ...(better && better !== cheaper ? [`the next better is ${alternativeText(better, usd)}`] : []),
  ];
  const rest = others.length ? others.join('; ') : 'no other of known price gives more or costs less';
  return `It costs ${usdText(usd)} a month; ${rest}.`;
}

function alternativeText({ id, cost, perCore }: Design, usd: number): string {
  const other = cost!.usd!;
  const part = usd > 0 ? `, ${percent(Math.abs(other / usd - 1))} ${other < usd ? 'less' : 'more'}` : '';
  return `${id} with ${perCoreText(perCore!.mixedMBps)} MB/s for each core for ${usdText(other)}${part}`;
}

/** The dearest of the cheaper ones and the cheapest of the faster ones, of those that no other design beats. */
function alternatives({ designs, frontier }: Plan, { id, cost, mixedMBps = 0 }: Design) {
  const others = frontier
    .filter((one) => one !== id)
    .map((one) => designs.find((design) => design.id === one)!);
  return {
    cheaper: others.filter((one) => one.cost!.usd! < cost!.usd!).at(-1),
    better: others.find((one) => one.mixedMBps! > mixedMBps),
  };
}
