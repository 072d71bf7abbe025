import { type Html, html } from '../../lambda/shared/report/html';
import type { FailureReport, Report } from './report';

/** What the page says when AWS runs the file system: there are no servers, slots and volumes to speak of. */

/** The result in words for who reads only one sentence. */
export function managedSentence({ failures, passed }: Report): string {
  const [failure] = failures;
  if (!failure) return 'The run ended before a node could be stopped; nothing was shown about its return.';
  if (!failure.verified) {
    return (
      `${failure.slot}, a node of the grid, lost its hardware. Not all came back as it must; the checks below say ` +
      'what did not.'
    );
  }
  return (
    `AWS runs the file system, so that no server of it can fail here. Instead ${failure.slot}, a node of the ` +
    'grid, lost its hardware, with all that was on its own disks. Started again, it was the same instance at ' +
    'the same address, made its scratch anew and mounted the file system, which the other hosts kept using.' +
    (passed ? '' : ' Something else did not hold, as shown below.')
  );
}

/** The machines, and what they mount. */
export function managedArchitecture({ machines, managedFileSystem }: Report): Html {
  return html`<section class="card"><h2>What was deployed</h2>
<p class="muted">Every host mounts <code>${managedFileSystem?.source}</code>, the file system
<code>${managedFileSystem?.id}</code> of Amazon FSx.</p>
<div class="scroll"><table><thead><tr><th>Host</th><th>Instance</th><th>Address</th></tr></thead><tbody>${machines.map(
    (machine) => html`<tr><td><b>${machine.name}</b></td>
<td><code>${machine.instance}</code><br><span class="muted">${machine.instanceType}</span></td>
<td class="address"><code>${machine.address}</code></td></tr>`,
  )}</tbody></table></div></section>`;
}

/** What became of a node. */
export function managedFailure({ slot, newInstance, address }: FailureReport): Html {
  return html`<p><code>${newInstance}</code> was stopped and started, as its operator does when its hardware fails:
nothing replaces nodes of a grid. It is <code>${slot}</code> at <code>${address}</code> again.</p>`;
}
