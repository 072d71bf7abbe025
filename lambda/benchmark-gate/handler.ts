import { type Answered, addressOf, answer } from '../shared/answer';
import { messageOfCause } from '../shared/caught';
import { describeError } from '../shared/log';
import { untilPermitted } from '../shared/permitted';
import type { Ports } from './ports';

/** What the function did, for its log and for the workflow. */
export type Handled = Answered | { readonly did: 'started' | 'ignored' };

/** How long a new role may not count yet: within the function's time (constructs/private/benchmark-deadline.ts). */
const PATIENCE_MS = 30_000;

type Bag = Record<string, unknown>;

const isObject = (value: unknown): value is Bag =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Serves CloudFormation, which asks for a run after a deployment, and the last step of the workflow, which has
 * CloudFormation's answer address in its input when the deployment waits for the verdict (docs/adr/0003). Throws only
 * if an answer cannot be delivered.
 */
export async function handle(event: unknown, ports: Ports): Promise<Handled> {
  if (isObject(event) && event.action === 'answer') return answerForWorkflow(event, ports);
  const address = addressOf(event);
  if (typeof address === 'string' || !isObject(event)) {
    ports.log.error('event ignored', { reason: String(address) });
    return { did: 'ignored' };
  }
  const request = String(event.RequestType);
  try {
    // What was measured stays. A run that is under way ends when its workflow is deleted; its programs remove their
    // files themselves.
    if (request === 'Delete') return await answer(address, true, 'the results stay', ports);
    if (request !== 'Create' && request !== 'Update') throw new Error(`RequestType ${request} is unknown`);
    const { stateMachineArn, gate, deadlineSeconds } = propertiesOf(event.ResourceProperties);
    const own = { ...address, PhysicalResourceId: 'benchmark-after-deployment' };
    const input = { cause: 'deployment', ...(gate && { answer: own, deadlineSeconds }) };
    const begin = async () => {
      // Going back must not depend on how fast anything is.
      if (/ROLLBACK/.test(await ports.stack.status(address.StackId))) return false;
      await ports.workflow.start(stateMachineArn, `deployment-${address.RequestId}`, input);
      return true;
    };
    if (!(await untilPermitted(begin, ports.timer, ports.log, PATIENCE_MS))) {
      return await answer(own, true, 'the stack is rolled back: nothing is measured', ports);
    }
    if (gate) return { did: 'started' };
    return await answer(own, true, 'a run was started; the deployment does not wait for it', ports);
  } catch (error) {
    ports.log.error('request failed', { request, error: describeError(error) });
    return answer(address, false, error instanceof Error ? error.message : String(error), ports);
  }
}

interface Properties {
  readonly stateMachineArn: string;
  readonly gate: boolean;
  readonly deadlineSeconds: number;
}

/** CloudFormation hands all values over as text. */
function propertiesOf(value: unknown): Properties {
  const { StateMachineArn, Gate, DeadlineSeconds } = isObject(value) ? value : {};
  if (typeof StateMachineArn !== 'string' || StateMachineArn === '') {
    throw new Error(`StateMachineArn is ${JSON.stringify(StateMachineArn)}; it must be text`);
  }
  const deadlineSeconds = Number(DeadlineSeconds);
  if (!Number.isInteger(deadlineSeconds) || deadlineSeconds < 1 || deadlineSeconds > 3600) {
    throw new Error(`DeadlineSeconds is ${JSON.stringify(DeadlineSeconds)}; allowed: 1 to 3600`);
  }
  return { stateMachineArn: StateMachineArn, gate: String(Gate) === 'true', deadlineSeconds };
}

async function answerForWorkflow(event: Bag, ports: Ports): Promise<Handled> {
  const address = addressOf(event.answer);
  if (typeof address === 'string') {
    ports.log.error('event ignored', { reason: `the answer address: ${address}` });
    return { did: 'ignored' };
  }
  const { ok, reason } = verdictOf(event);
  return answer(address, ok, reason, ports);
}

/** What CloudFormation is told at the end: the judge's verdict, or what kept the run from having one. */
function verdictOf({ judged, error }: Bag): { readonly ok: boolean; readonly reason: string } {
  if (isObject(judged) && typeof judged.verdict === 'string') {
    const reasons = Array.isArray(judged.reasons) ? judged.reasons.map(String).join(' ') : '';
    const report = typeof judged.reportKey === 'string' ? ` Report: ${judged.reportKey}` : '';
    return {
      ok: judged.verdict === 'passed',
      reason: `benchmark ${judged.verdict}. ${reasons}${report}`.trim(),
    };
  }
  const { Error: name, Cause: cause } = isObject(error) ? error : ({} as Bag);
  return {
    ok: false,
    reason: `the benchmark was not done: ${String(name ?? 'no verdict')}: ${messageOfCause(cause)}`,
  };
}
