import type { BenchmarkResult, Figure } from '../../shared/benchmark/result';
import { plainText } from '../../shared/benchmark/words';
import { type Html, html, Html as Raw } from '../../shared/report/html';

/** Pieces of the page that come again and again. */

type Cell = Html | string | number;

export interface Column {
  readonly head: Html | string;
  readonly number?: boolean;
  /** Holds sentences: not squeezed into a word a line. */
  readonly wide?: boolean;
  /** Not broken into lines. */
  readonly whole?: boolean;
}

/** A table that scrolls on its own where the page is narrow, also by keyboard. The first cell of a row names it. */
export function table(caption: string, columns: readonly Column[], rows: readonly (readonly Cell[])[]): Html {
  const kind = (index: number) => {
    const { number, wide, whole } = columns[index]!;
    if (number) return new Raw(' class="number"');
    return new Raw(wide ? ' class="wide"' : whole ? ' class="whole"' : '');
  };
  return html`<div class="scroll" role="region" aria-label="${caption}" tabindex="0">
<table><caption><span>${caption}</span></caption>
<thead><tr>${columns.map(({ head }, index) => html`<th scope="col"${kind(index)}>${head}</th>`)}</tr></thead>
<tbody>${rows.map(
    ([first = '', ...rest]) =>
      html`<tr><th scope="row"${kind(0)}>${first}</th>${rest.map(
        (cell, index) => html`<td${kind(index + 1)}>${cell}</td>`,
      )}</tr>`,
  )}</tbody></table></div>`;
}

/** A chart with a line below it that says how to read it. */
export const chart = (drawing: Html, caption: Html | string): Html =>
  html`<figure>${drawing}<figcaption>${caption}</figcaption></figure>`;

export function verdictBadge(verdict: BenchmarkResult['verdict']): Html {
  return html`<span class="badge ${verdict}">${verdict}</span>`;
}

/** What became of a figure, in a word. */
export function figureBadge({ wanted, passed }: Figure): Html {
  if (wanted === undefined) return html`<span class="badge none">not judged</span>`;
  if (passed === undefined) return html`<span class="badge incomplete">not certain</span>`;
  return passed ? html`<span class="badge">reached</span>` : html`<span class="badge failed">missed</span>`;
}

export const list = (sentences: readonly string[]): Html =>
  html`<ul class="reasons">${sentences.map((sentence) => html`<li>${sentence}</li>`)}</ul>`;

/** Pairs of a name and a text. */
export const facts = (pairs: readonly (readonly [string, Html | string])[]): Html =>
  html`<dl>${pairs.map(([name, text]) => html`<dt>${name}</dt><dd>${text}</dd>`)}</dl>`;

/** `1 host`, `4 hosts`. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${plainText(count)} ${count === 1 ? one : many}`;
