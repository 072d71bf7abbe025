import { namesOf } from '../../proof/kit/invariants/list';
import { judge } from '../../proof/kit/record/judge';
import { verify } from '../../proof/kit/verify';
import { goodEvidence } from '../demo/samples';
import {
  attachment,
  claim,
  complete,
  type Event,
  failOver,
  instance,
  mount,
  release,
  served,
  story,
} from './samples';

/** A fail-over up to where the old server shuts down and the new one runs. */
const untilShutdown = failOver('i-old', 'i-new').slice(0, 19);
const all = failOver('i-old', 'i-new');

/** For each invariant something that breaks it, and may break others with it. */
const VIOLATING: { readonly [name: string]: readonly Event[] } = {
  'one-writer': [...untilShutdown, attachment('vol-a', 'i-new', 'attaching')],
  'never-taken-from-living': [...untilShutdown, attachment('vol-a', 'i-old', 'detaching', 'attached')],
  'one-server': [...untilShutdown, mount('vol-b', 'i-new')],
  'one-owner': [...all, claim('oss-01', 'i-new', 1)],
  'epochs-grow': [
    ...all,
    instance('i-new', 'terminated'),
    release('oss-00', 'i-new', 2),
    claim('oss-00', 'i-3', 2),
  ],
  'released-after-end': [...untilShutdown, release('oss-00', 'i-old', 1)],
  'formatted-once': [...all, { kind: 'format', id: 'vol-a', to: 'OST0000', instance: 'i-new' }],
  'served-is-true': [...all, served('oss-00', 'i-new', 3)],
  'continued-after-served': [...untilShutdown, complete('i-new', 'CONTINUE')],
  'completed-once': [...all, complete('i-new', 'ABANDON')],
  'allowed-by-roles': [...all, { action: 'AttachVolume', error: 'UnauthorizedOperation' }],
};

// The simulation has stories of its own, since it knows more: test/simulation/invariants.
describe.each(namesOf('demo'))('%s is violated', (name) => {
  const broken = story(...VIOLATING[name]!);
  const wholesome = story(...all);

  test('in the eyes of chaos', () => {
    const passed = (evidence: typeof broken) => judge(evidence).find(({ id }) => id === name)?.passed;
    expect([passed(wholesome), passed(broken)]).toEqual([true, false]);
  });

  test('in the eyes of the demo', () => {
    const passed = ({ history, calls }: typeof broken) =>
      verify({ ...goodEvidence(), history: [...history], calls: [...calls] }).find(({ id }) => id === name)
        ?.passed;
    expect([passed(wholesome), passed(broken)]).toEqual([true, false]);
  });
});
