/** Colours for charts: those of the page. A chart is a picture, which style sheets do not reach. */
export interface Colours {
  readonly text: string;
  readonly faint: string;
  readonly grid: string;
  readonly accent: string;
  readonly others: string;
  readonly wanted: string;
  readonly background: string;
}

const NAMES: { readonly [name in keyof Colours]: string } = {
  text: '--chart-text',
  faint: '--chart-faint',
  grid: '--chart-grid',
  accent: '--chart-accent',
  others: '--chart-others',
  wanted: '--chart-wanted',
  background: '--pico-card-background-color',
};

let known: Colours | undefined;

/** Read once: to ask for a style makes the browser lay out the page anew whenever something on it has changed. */
export function colours(): Colours {
  known ??= readColours();
  return known;
}

function readColours(): Colours {
  const style = getComputedStyle(document.documentElement);
  const entries = Object.entries(NAMES).map(([name, property]) => [
    name,
    style.getPropertyValue(property).trim(),
  ]);
  return Object.fromEntries(entries) as Colours;
}

/** Calls back when the page becomes light or dark, and before and after it is printed, which is always light. */
export function onColoursChange(changed: () => void): void {
  for (const query of ['(prefers-color-scheme: dark)', 'print']) {
    matchMedia(query).addEventListener('change', () => {
      known = undefined;
      changed();
    });
  }
}
