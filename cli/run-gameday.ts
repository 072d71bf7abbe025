import { setTimeout as sleep } from 'node:timers/promises';
import { slotNames } from '../lambda/shared/slot-names';
import { OptionError } from './arguments';
import { type FoundDeployment, findDeployment, outputOf } from './deployment';
import { deploymentAws } from './deployment/aws';
import { whereIs } from './deployment/where';
import { GOING_ON, gameDayAws } from './evidence/gameday-aws';
import { onInterrupt } from './evidence/interrupt';
import type { GameDayOptions } from './evidence/options';
import type { AutomationLook, GameDayAws } from './evidence/port';
import { complain, type Output } from './output';
import { agreed } from './run-operation';
import { Terminal } from './terminal';
import { PROGRAM } from './usage';

const FAILED = 1;
const NOT_WANTED = 3;
const LOOK_SECONDS = 5;
const REPORT = 'measure.Report';

/** Makes a server fail, after approval. @returns the exit code */
export async function runGameDay(options: GameDayOptions, output: Output): Promise<number> {
  const { region } = await whereIs(options, output.env);
  const deployment = await findDeployment(options.deployment, deploymentAws(region));
  return await gameDay(options, output, deployment, gameDayAws(region), (seconds) => sleep(seconds * 1000));
}

/** As `runGameDay`, once it is known where. */
export async function gameDay(
  options: GameDayOptions,
  output: Output,
  deployment: FoundDeployment,
  aws: GameDayAws,
  pause: (seconds: number) => Promise<unknown>,
): Promise<number> {
  const { name } = deployment;
  const document = outputOf(deployment, 'GameDayDocument');
  if (!document)
    throw new OptionError(
      `${name} has no game day that is complete. Write gameDay into its configuration, with approvers, and deploy ` +
        `it: make deploy DEPLOYMENT=${name}`,
    );
  const terminal = new Terminal(options.json ? output.err : output.out, output.env);
  const under = await aws.running(document);
  if (under) terminal.line(`A game day of ${name} is under way: ${under}`);
  else if (options.follow)
    throw new OptionError(`No game day of ${name} is under way: name a tier or a slot to start one.`);
  const wanted = under ? undefined : await parametersOf(options, deployment, document, aws);
  if (wanted) {
    terminal.line(
      `Game day of ${name}: the server of ${wanted.Slot} fails (${options.failure}), once somebody has approved.`,
    );
    terminal.line(
      'Users notice a pause. Nothing is done unless all slots are served and all servers are well.',
    );
  }
  if (options.dryRun) {
    const given = Object.entries(wanted ?? {}).map(([key, values]) => `${key}=${values.join(',')}`);
    terminal.line(wanted ? `It would start ${document} with ${given.join(' ')}` : 'It would watch this one.');
    return 0;
  }
  if (wanted && !options.yes && !(await agreed(`Ask for approval that ${wanted.Slot} fails?`, output))) {
    terminal.line('Nothing was done.');
    return NOT_WANTED;
  }
  const id = under ?? (await aws.start(document, wanted!));
  if (!under) terminal.line(`Execution: ${id}`);
  if (options.noWait) return 0;
  const release = onInterrupt(output, `It goes on. To look again: ${PROGRAM} gameday ${name} --follow`);
  try {
    const topic = outputOf(deployment, 'GameDayTopic');
    return show(options, output, terminal, await follow(aws, id, topic, terminal, pause));
  } finally {
    release();
  }
}

/** @throws OptionError when the document does not take what was asked for */
async function parametersOf(
  { target, failure, approvers }: GameDayOptions,
  deployment: FoundDeployment,
  document: string,
  aws: GameDayAws,
): Promise<{ [name: string]: string[] }> {
  const slot = slotOf(target!, deployment);
  const known = await aws.parameters(document);
  const asksApprovers = known.has('Approvers');
  if (asksApprovers && approvers.length === 0)
    throw new OptionError(
      'The configuration names nobody who may approve: name them with --approvers, ARNs of IAM users or roles with ' +
        'commas between, or write gameDay.approvers and deploy.',
    );
  if (!asksApprovers && approvers.length > 0)
    throw new OptionError(
      `--approvers is ${approvers.join(',')}; but the configuration names who may approve, and nobody else may: ` +
        'leave it out.',
    );
  return {
    Tier: [slot.replace(/-\d+$/, '')],
    Slot: [slot],
    Failure: [failure],
    ...(asksApprovers && { Approvers: [...approvers] }),
  };
}

/** @throws OptionError that lists the slots */
function slotOf(target: string, deployment: FoundDeployment): string {
  const tiers = JSON.parse(outputOf(deployment, 'Tiers') ?? '[]') as { tier: string; slots: number }[];
  const slots = tiers.flatMap(({ tier, slots: many }) => slotNames(tier, many));
  if (slots.includes(target)) return target;
  const [first] = tiers
    .filter(({ tier }) => tier === target)
    .flatMap(({ tier, slots: many }) => slotNames(tier, many));
  if (first) return first;
  const tierNames = tiers.map(({ tier }) => tier).join(', ');
  throw new OptionError(
    `'${target}' is no tier and no slot of ${deployment.name}; allowed: ${tierNames}, ${slots.join(', ') || 'none'}`,
  );
}

async function follow(
  aws: GameDayAws,
  id: string,
  topic: string | undefined,
  terminal: Terminal,
  pause: (seconds: number) => Promise<unknown>,
): Promise<AutomationLook> {
  const told = new Set<string>();
  const tell = (key: string, ...lines: string[]) => {
    if (told.has(key)) return;
    told.add(key);
    for (const line of lines) terminal.line(line);
  };
  for (;;) {
    const look = await aws.look(id);
    for (const { name, status, inputs, why } of look.steps) {
      if (status === 'Waiting' && name === 'approve')
        tell(
          'approval',
          `  waits for approval by ${approversIn(inputs.Approvers, look)}`,
          '  An approver says, with credentials of theirs:',
          `    aws ssm send-automation-signal --automation-execution-id ${id} --signal-type Approve`,
          `  Reject in place of Approve ends it. The topic ${topic ?? ''} was told.`,
        );
      if (!['Pending', 'InProgress', 'Waiting'].includes(status))
        tell(`${name} ${status}`, `  ${name}: ${status}${why ? `: ${why}` : ''}`);
    }
    if (!GOING_ON.includes(look.status)) return look;
    const now = look.steps.find(({ status }) => ['InProgress', 'Waiting'].includes(status));
    terminal.status(`  ${now?.name ?? 'it begins'}`);
    await pause(LOOK_SECONDS);
  }
}

/** The inputs of a step are texts of JSON. */
function approversIn(text: string | undefined, { parameters }: AutomationLook): string {
  try {
    const found = JSON.parse(text ?? '') as unknown;
    if (Array.isArray(found) && found.every((one) => typeof one === 'string')) return found.join(' or ');
  } catch {
    // Not a list: what was asked for says it.
  }
  return (
    parameters.Approvers?.join(' or ') ?? text ?? 'those whom the configuration names (gameDay.approvers)'
  );
}

function show(
  { json, deployment }: GameDayOptions,
  output: Output,
  terminal: Terminal,
  look: AutomationLook,
): number {
  const { id, status, why, outputs } = look;
  const passed = status === 'Success';
  // Without the step AWS has a sentence there that says so.
  const measured = look.steps.some(({ name, status: ended }) => name === 'measure' && ended === 'Success');
  const report = measured ? outputs[REPORT]?.[0] : undefined;
  if (json) {
    output.out.write(`${JSON.stringify({ deployment, execution: id, status, report, message: why })}\n`);
    return passed ? 0 : FAILED;
  }
  for (const line of report?.split('\n') ?? []) terminal.line(`  ${line}`);
  terminal.check(passed, passed ? 'the slot was served again' : `the game day is ${status}`);
  if (!passed) complain(output, why ?? 'Systems Manager gives no reason');
  terminal.line(`To look at it later: aws ssm get-automation-execution --automation-execution-id ${id}`);
  return passed ? 0 : FAILED;
}
