import { type Design, mbpsText, type Need, short } from '../../../constructs/sizing/plan';
import { configurationOf, type PlannedConfiguration } from '../configuration';
import { byId, fillFor, h, setText } from './dom';
import { LimitsChart } from './limits-chart';
import { limitRows, rowOf } from './rows';

/** The design that is looked at: where its time goes, what is to be known of it, and its configuration. */
export class ChosenDesign {
  private readonly chart = new LimitsChart();
  private planned?: PlannedConfiguration;

  constructor() {
    byId('download').addEventListener('click', () => this.download());
  }

  show(design: Design | undefined, need: Need): void {
    if (design) this.showLimits(design, need);
    byId('chosen').hidden = design === undefined;
    if (!design) return;
    const row = rowOf(design);
    setText(byId('chosen-title'), row.title);
    setText(byId('chosen-text'), sentence(design, need, row.cost));
    fillFor(byId('chosen-remarks'), row.remarks, () => row.remarks.map((remark) => h('li', {}, remark)));
    this.showConfiguration(configurationOf(design, need));
  }

  private showLimits(design: Design, { readShare, sharedMBps }: Need): void {
    const rows = limitRows(design, readShare, sharedMBps);
    this.chart.show(rows, sharedMBps);
    byId('limits-box').hidden = rows.length === 0;
    fillFor(byId('limits-rows'), rows, () =>
      rows.map(({ name, text, read, write, mixed, used, binds }) =>
        h(
          'tr',
          {},
          h('th', { scope: 'row' }, name, h('div', { class: 'fine' }, text)),
          h('td', {}, read),
          h('td', {}, write),
          h('td', {}, binds ? h('strong', {}, `${mixed}, decides`) : mixed),
          h('td', {}, used),
        ),
      ),
    );
  }

  private showConfiguration(planned: PlannedConfiguration | string): void {
    const there = typeof planned !== 'string';
    this.planned = there ? planned : undefined;
    byId('download').hidden = !there;
    byId('configuration').hidden = !there;
    setText(
      byId('configuration-text'),
      there
        ? `Save it as config/${planned.name}.yaml, then: make deploy DEPLOYMENT=${planned.name}`
        : planned,
    );
    setText(byId('yaml'), there ? planned.yaml : '');
  }

  private download(): void {
    if (!this.planned) return;
    const { name, yaml } = this.planned;
    const address = URL.createObjectURL(new Blob([yaml], { type: 'application/yaml' }));
    h('a', { href: address, download: `${name}.yaml` }).click();
    setTimeout(() => URL.revokeObjectURL(address), 10_000);
  }
}

function sentence({ mixedMBps, perCore, recovery }: Design, need: Need, cost: string): string {
  const delivered =
    mixedMBps === undefined
      ? 'What it delivers is not known.'
      : `It delivers ${mbpsText(mixedMBps)} of reads and writes in turns, ${short(perCore?.mixedMBps ?? 0)} ` +
        `MB/s for each of ${need.cores} cores; ${mbpsText(need.sharedMBps)} are wanted.`;
  return `${delivered} Storage a month: ${cost}. ${recovery}`;
}
