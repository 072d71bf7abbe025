import { count, seconds } from '../../cli/terminal';
import { type Html, html } from '../../lambda/shared/report/html';
import type { ClientView } from './report';
import { timeline } from './report-charts';

/** What clients saw of a failure: how long each of them waited, and that nothing they were told is lost. */
export function clientsSaw(views: readonly ClientView[]): Html {
  const rows = views.map((view) => {
    const start = Math.max(0, view.stopped);
    return { name: view.instance, start, end: view.wroteAgain, seconds: view.wroteAgain - start };
  });
  return html`<h3>What clients saw</h3>
<p>${clientsSentence(views)}</p>
<p class="muted">A bar is a client's longest wait, in seconds after the failure: no write is acknowledged meanwhile.</p>
${timeline(rows, Math.max(...views.map(({ wroteAgain }) => wroteAgain)))}`;
}

/** The same in a sentence or two. */
export function clientsSentence(views: readonly ClientView[]): string {
  const [written, lost] = [sum(views, 'acknowledged'), sum(views, 'lost')];
  const [longest] = [...views].sort((one, other) => waitOf(other) - waitOf(one));
  return (
    `${count(views.length, 'client')} wrote all the time, each write with fsync; ` +
    `${written} writes were acknowledged, ` +
    `${lost === 0 ? 'and all of them are there' : `and ${lost} of them are lost`}. ` +
    `The longest wait for one took ${seconds(waitOf(longest!))}, ` +
    `until ${seconds(longest!.wroteAgain)} after the failure.`
  );
}

const waitOf = ({ stopped, wroteAgain }: ClientView) => wroteAgain - stopped;

const sum = (views: readonly ClientView[], key: 'acknowledged' | 'lost') =>
  views.reduce((total, view) => total + view[key], 0);
