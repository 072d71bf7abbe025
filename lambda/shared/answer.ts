import { describeError, type Log } from './log';

/** Where and under which names CloudFormation waits for an answer. */
export interface AnswerAddress {
  readonly ResponseURL: string;
  readonly StackId: string;
  readonly RequestId: string;
  readonly LogicalResourceId: string;
  readonly PhysicalResourceId: string;
}

/** The way back to CloudFormation. */
export interface AnswerPort {
  put(url: string, body: string): Promise<void>;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

/** The answer address in an event of CloudFormation or in what the workflow hands back; a text says what is missing. */
export function addressOf(event: unknown): AnswerAddress | string {
  if (!isObject(event)) return 'it is not an object';
  const { ResponseURL, StackId, RequestId, LogicalResourceId, PhysicalResourceId } = event;
  if (!isText(ResponseURL) || !/^https?:\/\//.test(ResponseURL)) return 'ResponseURL is missing or not a URL';
  if (!isText(StackId)) return 'StackId is missing';
  if (!isText(RequestId)) return 'RequestId is missing';
  if (!isText(LogicalResourceId)) return 'LogicalResourceId is missing';
  const physical = isText(PhysicalResourceId) ? PhysicalResourceId : LogicalResourceId;
  return { ResponseURL, StackId, RequestId, LogicalResourceId, PhysicalResourceId: physical };
}

/** What a function did that answered. */
export interface Answered {
  readonly did: 'answered';
  readonly status: 'SUCCESS' | 'FAILED';
}

/** What a function did that only serves CloudFormation, for its log. */
export type Handled = Answered | { readonly did: 'ignored' };

/** CloudFormation takes at most 4,096 bytes. */
const MAX_REASON = 1500;

/** Answers a request. Throws only if the answer cannot be delivered. */
export async function answer(
  address: AnswerAddress,
  ok: boolean,
  reason: string,
  ports: { readonly answers: AnswerPort; readonly log: Log },
): Promise<Answered> {
  const { ResponseURL, StackId, RequestId, LogicalResourceId, PhysicalResourceId } = address;
  const status = ok ? 'SUCCESS' : 'FAILED';
  const body = {
    Status: status,
    Reason: reason.slice(0, MAX_REASON),
    PhysicalResourceId,
    StackId,
    RequestId,
    LogicalResourceId,
  };
  await ports.answers.put(ResponseURL, JSON.stringify(body));
  ports.log.info('answered', { status, reason: body.Reason, LogicalResourceId });
  return { did: 'answered', status };
}

const ATTEMPTS = 5;

/** How long one attempt may take, milliseconds: `fetch` by itself waits for minutes. */
export const ANSWER_MS = 10_000;

/** Puts an answer to the address that CloudFormation signed. */
export class HttpAnswers implements AnswerPort {
  constructor(
    private readonly fetchUrl: typeof fetch,
    private readonly sleep: (milliseconds: number) => Promise<void>,
    private readonly timeoutMs = ANSWER_MS,
  ) {}

  async put(url: string, body: string): Promise<void> {
    let problem = '';
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      if (attempt > 0) await this.sleep(500 * 2 ** attempt);
      try {
        // Bytes, not text: with text fetch adds a content type, which the signature of the address does not cover.
        const response = await this.fetchUrl(url, {
          method: 'PUT',
          body: new TextEncoder().encode(body),
          signal: AbortSignal.timeout(this.timeoutMs),
        });
        if (response.ok) return;
        problem = `status ${response.status}`;
        // The address has expired or is wrong: asking again changes nothing.
        if (response.status < 500 && response.status !== 429) break;
      } catch (error) {
        problem = describeError(error);
      }
    }
    // The address is a secret while it is valid: it stays out of the message.
    throw new Error(`CloudFormation did not take the answer: ${problem}`);
  }
}
