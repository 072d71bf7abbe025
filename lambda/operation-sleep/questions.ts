import type { Progress } from '../shared/operation/lock';
import type { Answer, Ports, Question } from './ports';

/** What hosts answered to a question, or that it is not over yet. */
export type Asked =
  | { readonly over: true; readonly answers: ReadonlyMap<string, Answer>; readonly progress: Progress }
  | { readonly over: false; readonly progress: Progress };

const SILENT: Answer = { state: 'silent', said: 'its agent could not be reached' };

/**
 * Asks hosts once, and waits for all of them, for a time. What was asked is in the progress, so that the next step
 * waits for the same answers; a step that dies between the question and the note asks a second time, which changes
 * nothing.
 */
export async function ask(
  question: Question,
  key: string,
  instanceIds: readonly string[],
  patienceMs: number,
  progress: Progress,
  ports: Ports,
): Promise<Asked> {
  if (instanceIds.length === 0) return { over: true, answers: new Map(), progress };
  const [sentAt, ...commands] = listOf(progress[key]);
  if (sentAt === undefined) {
    const sent = await ports.hosts.tell(instanceIds, question);
    const asked = { ...progress, [key]: [new Date(ports.now()).toISOString(), ...sent] };
    return { over: false, progress: asked };
  }
  const found = await ports.hosts.answers(commands);
  const waits = [...found.values()].some(({ state }) => state === 'pending');
  if (waits && ports.now() - Date.parse(sentAt) < patienceMs) return { over: false, progress };
  const answers = new Map(
    instanceIds.map((id): [string, Answer] => {
      const answer = found.get(id) ?? SILENT;
      return [
        id,
        answer.state === 'pending' ? { state: 'silent', said: 'it did not answer in time' } : answer,
      ];
    }),
  );
  return { over: true, answers, progress };
}

/** The progress without the answers to a question, which is asked anew. */
export function forget(key: string, progress: Progress): Progress {
  const { [key]: _forgotten, ...rest } = progress;
  return rest;
}

const listOf = (value: string | string[] | undefined): string[] => (Array.isArray(value) ? value : []);
