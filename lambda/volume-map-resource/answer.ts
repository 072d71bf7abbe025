import { describeError } from '../shared/log';
import type { AnswerPort } from './ports';

const ATTEMPTS = 5;

/** Puts an answer to the address that CloudFormation signed. */
export class HttpAnswers implements AnswerPort {
  constructor(
    private readonly fetchUrl: typeof fetch,
    private readonly sleep: (milliseconds: number) => Promise<void>,
  ) {}

  async put(url: string, body: string): Promise<void> {
    let problem = '';
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      if (attempt > 0) await this.sleep(500 * 2 ** attempt);
      try {
        // Bytes, not text: with text fetch adds a content type, which the signature of the address does not cover.
        const response = await this.fetchUrl(url, { method: 'PUT', body: new TextEncoder().encode(body) });
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
