import type { StateMachine } from '../../proof/simulation/aws/stepfunctions/definition';
import { commands } from './cross-check/commands';
import { embedded } from './cross-check/embedded';
import { rows } from './cross-check/map';
import { attachments, doomed, lifecycle, refusals } from './cross-check/sequences';
import { type Side, Transcript } from './cross-check/side';
import { simulated } from './cross-check/simulated';

/** A machine without functions, which waits as long as its input says. */
const MACHINE: StateMachine = {
  StartAt: 'Wait',
  States: { Wait: { Type: 'Wait', SecondsPath: '$.seconds', Next: 'Done' }, Done: { Type: 'Succeed' } },
};

/**
 * Where the embedded AWS takes what AWS refuses, or the other way round; the simulated one follows the documentation.
 */
const EMBEDDED_DIFFERS: { readonly [line: string]: string } = {
  // Amazon EC2 API reference, CreateTags: the resources have to exist.
  'tag an unknown volume: ok': 'tag an unknown volume: InvalidVolume.NotFound',
  // DynamoDB API reference, CommonErrors: ValidationException for an expression that cannot be read.
  'nonsense: ok': 'nonsense: ValidationException',
  // Step Functions API reference, StartExecution: the same name and input as an execution that runs is that execution.
  'start it again: ExecutionAlreadyExists': 'start it again: ok',
};

let real: Side;
let stop: () => Promise<void> = async () => undefined;

beforeAll(async () => {
  ({ side: real, stop } = await embedded(MACHINE));
});

afterAll(() => stop());

test.each([
  ['volumes and interfaces', attachments, 30],
  ['what goes with an instance', doomed, 14],
  ['lifecycle hooks', lifecycle, 15],
  ['the volume map', rows, 80],
  ['commands', commands, 7],
  ['refusals', refusals, 9],
])('the simulated AWS answers like the embedded one: %s', async (_name, sequence, least) => {
  const expected = new Transcript(real);
  await sequence(expected);
  const found = new Transcript(simulated(MACHINE, real.stateMachineArn));
  await sequence(found);
  expect(found.lines).toEqual(expected.lines.map((line) => EMBEDDED_DIFFERS[line] ?? line));
  expect(found.lines.length).toBeGreaterThan(least);
});
