import type { Design, Plan } from '../../../constructs/sizing/plan';
import { grouped } from '../words';
import { byId, fill, fillFor, h, setText } from './dom';
import { type Row, rowOf, SORTS, type SortName, type Speed, sorted } from './rows';

const HEADINGS: { readonly [name in SortName]: string } = {
  title: 'Design',
  read: 'Read',
  write: 'Write',
  capacity: 'Capacity',
  cost: 'A month',
};

/** The cells of one design: made once, so that what a visitor has opened stays open. */
interface Line {
  readonly element: HTMLTableRowElement;
  readonly radio: HTMLInputElement;
  readonly badges: HTMLElement;
  readonly build: HTMLElement;
  readonly read: HTMLElement;
  readonly write: HTMLElement;
  readonly capacity: HTMLElement;
  readonly cost: HTMLElement;
  readonly items: HTMLElement;
  readonly recovery: HTMLElement;
}

/** The table of designs, and the list of those that are not feasible. */
export class DesignTable {
  private readonly lines = new Map<string, Line>();
  private readonly headers = new Map<SortName, HTMLElement>();
  private rows: readonly Row[] = [];
  private sort: SortName = 'cost';
  private descending = false;

  /** @param chosen called with the id of the design that a visitor wants to look at */
  constructor(private readonly chosen: (id: string) => void) {
    const cells = (name: SortName) => {
      const button = h('button', { type: 'button', class: 'sort' }, HEADINGS[name]);
      button.addEventListener('click', () => this.sortBy(name));
      const header = h('th', { scope: 'col', role: 'columnheader', class: name }, button);
      this.headers.set(name, header);
      return header;
    };
    const plain = (text: string) => h('th', { scope: 'col', role: 'columnheader' }, text);
    const [title, ...numbers] = SORTS.map(cells);
    const headings = [title, plain('What to build'), ...numbers, plain('When a server fails')];
    // Told in words, because a narrow screen shows a table as cards, which to browsers is none.
    byId('designs').setAttribute('role', 'table');
    for (const group of ['headings', 'rows']) byId(group).setAttribute('role', 'rowgroup');
    fill(byId('headings'), h('tr', { role: 'row' }, ...headings));
    this.markSort();
  }

  show({ designs, cheapest, frontier }: Plan): void {
    const feasible = designs.filter((design) => design.feasible);
    this.rows = feasible.map(rowOf);
    for (const row of this.rows) {
      const badges = [
        ...(row.id === cheapest ? ['cheapest'] : []),
        ...(frontier.includes(row.id) && row.id !== cheapest ? ['frontier'] : []),
      ];
      this.fillLine(this.lineOf(row), row, badges);
    }
    this.order();
    byId('no-designs').hidden = feasible.length > 0;
    byId('designs').hidden = feasible.length === 0;
    showImpossible(designs.filter((design) => !design.feasible));
  }

  /** Marks the design that is looked at. */
  mark(id: string | undefined): void {
    for (const [one, { element, radio }] of this.lines) {
      radio.checked = one === id;
      element.classList.toggle('chosen', one === id);
    }
  }

  private sortBy(name: SortName): void {
    // The first click shows the largest throughput, but the lowest price.
    this.descending = name === this.sort ? !this.descending : !['title', 'cost'].includes(name);
    this.sort = name;
    this.markSort();
    this.order();
  }

  private markSort(): void {
    for (const [name, header] of this.headers) {
      if (name !== this.sort) header.removeAttribute('aria-sort');
      else header.setAttribute('aria-sort', this.descending ? 'descending' : 'ascending');
    }
  }

  private order(): void {
    const elements = sorted(this.rows, this.sort, this.descending).map(
      ({ id }) => this.lines.get(id)!.element,
    );
    const body = byId('rows');
    const now = [...body.children];
    if (now.length !== elements.length || now.some((one, index) => one !== elements[index]))
      fill(body, ...elements);
  }

  private lineOf({ id, title }: Row): Line {
    const known = this.lines.get(id);
    if (known) return known;
    const radio = h('input', { type: 'radio', name: 'design', value: id });
    radio.addEventListener('change', () => this.chosen(id));
    const cell = (heading: string) => h('td', { role: 'cell', 'data-heading': heading });
    const [build, read, write] = [cell('What to build'), cell('Read'), cell('Write')];
    const [capacity, recovery] = [cell('Capacity'), cell('When a server fails')];
    const [cost, items] = [h('summary'), h('ul')];
    const badges = h('span', { class: 'badges' });
    const head = h('th', { scope: 'row', role: 'rowheader' }, h('label', {}, radio, title), badges);
    const bill = h('td', { role: 'cell', 'data-heading': 'A month' }, h('details', {}, cost, items));
    const element = h('tr', { role: 'row' }, head, build, read, write, capacity, bill, recovery);
    element.addEventListener('click', (event) => {
      if (!(event.target as Element).closest('summary, label, input')) radio.click();
    });
    const line = { element, radio, badges, build, read, write, capacity, cost, items, recovery };
    this.lines.set(id, line);
    return line;
  }

  private fillLine(line: Line, row: Row, badges: readonly string[]): void {
    fillFor(line.badges, badges, () => badges.map((text) => h('span', { class: `badge ${text}` }, text)));
    fillFor(line.build, row.build, () => row.build.map((part) => h('div', {}, part)));
    fillSpeed(line.read, row.read);
    fillSpeed(line.write, row.write);
    setText(line.capacity, row.capacity);
    setText(line.cost, row.cost);
    fillFor(line.items, row.items, () =>
      row.items.map(({ what, usd }) => h('li', {}, h('span', {}, what), h('span', {}, usd))),
    );
    const { availability, recovery } = row;
    fillFor(line.recovery, [availability, recovery], () => [
      h('strong', {}, availability),
      h('div', { class: 'fine' }, recovery),
    ]);
  }
}

function fillSpeed(cell: HTMLElement, { total, perCore, limit }: Speed): void {
  fillFor(cell, [total, perCore, limit], () => [
    h('strong', {}, total),
    h('div', {}, perCore),
    limit ? h('div', { class: 'fine' }, `limit: ${limit}`) : undefined,
  ]);
}

function showImpossible(designs: readonly Design[]): void {
  byId('impossible').hidden = designs.length === 0;
  setText(byId('impossible-count'), `Not feasible: ${designs.length} of the designs, and why`);
  const reasons = designs.map(({ title, reason = '' }) => [title, reason] as const);
  fillFor(byId('impossible-list'), reasons, () =>
    reasons.flatMap(([title, reason]) => [h('dt', {}, title), h('dd', {}, grouped(reason))]),
  );
}
