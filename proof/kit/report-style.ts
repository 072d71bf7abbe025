import { BASE_STYLE } from '../../lambda/shared/report/style';

/** The look of report.html. */
export const STYLE = `${BASE_STYLE}
td.address code { white-space: nowrap; }
.checks { list-style: none; margin: 0; padding: 0; }
.checks li { display: grid; grid-template-columns: 76px 1fr; gap: 10px; padding: 6px 0;
  border-bottom: 1px solid var(--line); }
.checks li:last-child { border-bottom: 0; }
.checks .badge { justify-self: start; align-self: start; }
.checks small { display: block; color: var(--muted); overflow-wrap: anywhere; }
details { margin-top: 14px; }
td details { margin-top: 2px; }
summary { cursor: pointer; color: var(--muted); }
pre { overflow-x: auto; background: var(--page); border-radius: 8px; padding: 12px; font-size: .85rem;
  white-space: pre-wrap; }
@media (max-width: 640px) { .checks li { grid-template-columns: 1fr; gap: 2px; } }
`;
