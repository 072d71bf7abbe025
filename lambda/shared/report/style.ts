/** The look of all reports of the project: one file, no scripts, no fonts, light and dark, any width, printable. */
export const BASE_STYLE = `
:root {
  color-scheme: light dark;
  --page: #f4f6f9; --card: #ffffff; --text: #17202e; --muted: #5b6778; --line: #dfe4ec;
  --good: #14743f; --good-soft: #e2f4e9; --bad: #b3261e; --bad-soft: #fce8e6; --bar: #2f6fde;
}
@media screen and (prefers-color-scheme: dark) {
  :root {
    --page: #10151d; --card: #19212c; --text: #e6ebf2; --muted: #98a5b8; --line: #2d3846;
    --good: #6fd69a; --good-soft: #173425; --bad: #ff9d94; --bad-soft: #43201d; --bar: #6a9df5;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--text);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
main { max-width: 1080px; margin: 0 auto; padding: 32px 20px 64px; }
h1 { font-size: 1.75rem; line-height: 1.2; margin: 0 0 4px; }
h2 { font-size: 1.25rem; margin: 40px 0 12px; }
h3 { font-size: 1rem; margin: 24px 0 8px; }
p { margin: 8px 0; max-width: 75ch; }
.muted { color: var(--muted); }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 12px; padding: 20px; margin: 0 0 20px; }
.card h2 { margin-top: 0; }
.verdict { border-left: 6px solid var(--good); }
.verdict.failed { border-left-color: var(--bad); }
.badge { display: inline-block; border-radius: 999px; padding: 1px 11px; font-size: .85rem; font-weight: 600;
  color: var(--good); background: var(--good-soft); white-space: nowrap; }
.badge.failed { color: var(--bad); background: var(--bad-soft); }
.title { display: flex; flex-wrap: wrap; gap: 4px 12px; align-items: center; margin-bottom: 12px; }
.title h2, .title h1 { margin: 0; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(145px, 1fr)); gap: 12px; margin: 20px 0 0; }
.tile { border: 1px solid var(--line); border-radius: 10px; padding: 10px 14px; }
.tile b { display: block; font-size: 1.4rem; line-height: 1.4; white-space: nowrap;
  font-variant-numeric: tabular-nums; }
.tile span { color: var(--muted); font-size: .875rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; }
th, td { text-align: left; padding: 7px 14px 7px 0; border-bottom: 1px solid var(--line); vertical-align: top; }
th { color: var(--muted); font-weight: 600; white-space: nowrap; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
code { font: .85em ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; overflow-wrap: anywhere; }
.chart { font-family: inherit; }
.chart svg { display: block; width: 100%; height: auto; }
.chart.narrow { display: none; }
@media (max-width: 640px) {
  main { padding: 16px 10px 40px; }
  .card { padding: 14px; }
  th { white-space: normal; }
  .chart.wide { display: none; }
  .chart.narrow { display: block; }
}
@media print { body { background: none; } .card { break-inside: avoid; } }
`;
