import type { DocumentClients, DocumentParts } from './document-parts';
import { unlock, unlockBefore } from './lock';
import { slotRow } from './queries';
import { apiStep, type Step, tellAndEnd } from './steps';

const NOTHING_DONE = 'Nothing was done to any server.';

/**
 * Where a game day ends that did not pass. The step that failed is critical, so that the execution counts as failed.
 */
export function refusals(parts: DocumentParts): Step[] {
  const ending = (name: string, verdict: string, message: string): Step[] =>
    unlockAndTell(parts, name, verdict, message);
  return [
    ...(parts.clients ? clientRefusals(parts, parts.clients) : []),
    tellAndEnd(
      'anotherOne',
      parts,
      'not started',
      'Another game day is under way with this volume map, or was stopped less than ' +
        `${Math.ceil(parts.recoverySeconds / 3600) + 1} hours ago. ${NOTHING_DONE}`,
    ),
    ...ending(
      'notSteady',
      'not started',
      "A server of some tier is away, leaves, is not healthy or fails EC2's status checks: see the step " +
        `allSteady. ${NOTHING_DONE}`,
    ),
    ...ending(
      'notStarted',
      'not started',
      'Either {{ Tier }} has no slot {{ Slot }}, or not every slot of every tier is served by a server that ' +
        `runs. ${NOTHING_DONE} See docs/operations/failover.md.`,
    ),
    ...ending(
      'notFailed',
      'not carried out',
      '{{ readBefore.Server }} could not be made to fail ({{ Failure }}). Look whether it still runs.',
    ),
    {
      ...apiStep('readStuck', slotRow(parts.table), unlockBefore('notRecovered'), {
        Phase: '$.Item.phase.S',
      }),
      nextStep: unlockBefore('stuck'),
    },
    ...ending(
      'stuck',
      'FAILED, the slot is not served',
      '{{ readBefore.Server }} was lost ({{ Failure }}) at {{ noteStart.At }}, and after ' +
        `${parts.recoverySeconds} s nobody else serves the slot: it is {{ readStuck.Phase }}. The tier goes on ` +
        'trying. See docs/operations/failover.md.',
    ),
    ...ending(
      'notRecovered',
      'FAILED, the slot is not served',
      '{{ readBefore.Server }} was lost ({{ Failure }}) at {{ noteStart.At }}, nobody else serves the slot ' +
        `after ${parts.recoverySeconds} s, and its row cannot be read. See docs/operations/failover.md.`,
    ),
    ...ending(
      'notMeasured',
      'not measured',
      'The slot is served again, but how long it took could not be computed or published. The steps of the ' +
        'execution say why.',
    ),
  ];
}

/** Where it ends for what its clients say. */
function clientRefusals(parts: DocumentParts, { checkDocument }: DocumentClients): Step[] {
  const commands = `The commands of ${checkDocument} in Run Command say which and why.`;
  return [
    tellAndEnd(
      'clientsNotReady',
      parts,
      'not started',
      'Not every client has the file system mounted and can write to it, or no client has the tag. ' +
        `${NOTHING_DONE} ${commands}`,
    ),
    ...unlockAndTell(
      parts,
      'clientsNotWell',
      'FAILED, clients are not well',
      '{{ measure.Report }}\nThe slot is served, but a client does not have the file system mounted, or lost ' +
        `what it had written, or cannot write. ${commands}`,
    ),
  ];
}

const unlockAndTell = (parts: DocumentParts, name: string, verdict: string, message: string): Step[] => [
  unlock(parts.table, name),
  tellAndEnd(name, parts, verdict, message),
];
