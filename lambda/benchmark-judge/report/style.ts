import { BASE_STYLE } from '../../shared/report/style';

/** The look of a benchmark's report. */
export const STYLE = `${BASE_STYLE}
:root { --warn: #7a5b00; --warn-soft: #fdf3d3;
  --good-fill: #2e9e63; --bad-fill: #d5473c; --warn-fill: #d9a514; --other: #9aa7b8;
  --line-1: #2f6fde; --line-2: #b45309; --line-3: #0f766e; --line-4: #7c3aed; --line-5: #be185d; --line-6: #475569; }
@media screen and (prefers-color-scheme: dark) {
  :root { --warn: #f0cd6b; --warn-soft: #3d3210;
    --good-fill: #43b87a; --bad-fill: #f0736a; --warn-fill: #d9a514; --other: #66748a;
    --line-1: #7fb0ff; --line-2: #f5a65b; --line-3: #4fd1c5; --line-4: #c4a5ff; --line-5: #ff8fc0; --line-6: #cbd5e1; }
}
h1, h2, h3, p, li, td, th, dd { overflow-wrap: break-word; }
h1, h2, h3, p, li { min-width: 0; }
.notice { background: var(--warn-soft); color: var(--warn); border: 1px solid var(--warn); border-radius: 12px;
  padding: 12px 20px; margin: 0 0 20px; font-weight: 600; }
.notice p { max-width: none; margin: 0; }
.verdict.incomplete { border-left-color: var(--warn-fill); }
.badge.incomplete { color: var(--warn); background: var(--warn-soft); }
.badge.none { color: var(--muted); background: var(--page); }
.tiles { grid-template-columns: repeat(auto-fit, minmax(min(100%, 200px), 1fr)); }
.tile { border-left: 5px solid var(--good-fill); }
.tile.failed { border-left-color: var(--bad-fill); }
.tile.incomplete { border-left-color: var(--warn-fill); }
.tile b small { font-size: .875rem; font-weight: 400; color: var(--muted); }
.tile span { display: block; overflow-wrap: anywhere; }
ul.reasons { margin: 8px 0; padding-left: 1.2em; max-width: 75ch; }
figure { margin: 12px 0; }
figcaption { color: var(--muted); font-size: .875rem; max-width: 75ch; margin-top: 4px; }
.key { display: inline-block; width: .8em; height: .8em; border-radius: 2px; margin: 0 .3em 0 .6em; }
caption { text-align: left; color: var(--muted); font-size: .875rem; padding: 0 0 6px; }
caption span { display: block; position: sticky; left: 0; max-width: min(75ch, 100vw - 80px); }
.scroll { margin: 14px 0 0; }
.scroll:focus-visible { outline: 2px solid var(--bar); outline-offset: 2px; }
tbody th { color: var(--text); font-weight: 600; white-space: normal; }
td { min-width: 5em; }
td.number { min-width: 0; }
td.wide, tbody th.wide { min-width: 15em; }
td.whole, tbody th.whole, td code, th code { white-space: nowrap; }
.figure { border-top: 1px solid var(--line); margin-top: 24px; padding-top: 4px; }
.figure h3 { display: flex; flex-wrap: wrap; gap: 4px 10px; align-items: center; }
.numbers { font-variant-numeric: tabular-nums; }
dl { display: grid; grid-template-columns: minmax(8em, max-content) 1fr; gap: 4px 16px; margin: 12px 0;
  max-width: 75ch; }
dt { color: var(--muted); }
dd { margin: 0; min-width: 0; }
.narrow svg { max-width: 420px; }
@media (max-width: 640px) {
  h1 { font-size: 1.4rem; }
  dl { grid-template-columns: 1fr; gap: 0; }
  dd { margin-bottom: 8px; }
  .notice { padding: 12px 14px; }
}
@media print {
  @page { margin: 12mm; }
  body { font-size: 14px; }
  main { max-width: none; padding: 0; }
  .card { break-inside: auto; border: 0; padding: 0 0 8px; }
  .verdict { border-left: 6px solid var(--good); padding-left: 12px; }
  h2, h3, caption { break-after: avoid; }
  figure, tr, .tile, .figure > p { break-inside: avoid; }
  thead { display: table-header-group; }
  .chart.wide { display: block !important; }
  .chart.narrow { display: none !important; }
  .scroll { overflow: visible; }
  table { font-size: .68rem; }
  th, td, td code, th code, td.whole, tbody th.whole, td.number, th.number {
    padding: 3px 8px 3px 0; white-space: normal; }
  td, tbody th, td code, th code { overflow-wrap: anywhere; min-width: 5em; }
  td.number { overflow-wrap: normal; min-width: 0; }
  td.wide, tbody th.wide { min-width: 10em; }
  table .badge { font-size: inherit; padding: 0 6px; }
  .key, .badge, .tile { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
`;
