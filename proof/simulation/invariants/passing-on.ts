import type { Call } from '../aws/call';
import type { Observer } from '../aws/observer';
import type { Invariant } from './invariant';

type OnCall = (call: Call, outcome: string) => void;

/**
 * Tells each invariant what it wants to hear. A step is told very often: those that do not listen are not asked.
 *
 * @param before told of a call before the invariants are
 * @param after told of it after them
 */
export function passingOn(invariants: readonly Invariant[], before: OnCall, after?: OnCall): Observer {
  const told = <K extends keyof Observer>(event: K) => invariants.filter((each) => each[event] !== undefined);
  const steps = told('onStep');
  const calls = told('onCall');
  const formats = told('onFormat');
  const damages = told('onDamage');
  const repairs = told('onRepair');
  const mounts = told('onMount');
  const attaches = told('onAttach');
  const detaches = told('onDetach');
  const terminations = told('onGroupTerminates');
  const writes = told('onMapWrite');
  const ends = told('onLifecycleEnd');
  const passes = told('onPass');
  const serves = told('onServe');
  const answers = told('onAnswer');
  const operations = told('onOperationEnd');
  return {
    onStep: (world) => {
      for (const each of steps) each.onStep?.(world);
    },
    onCall: (call, outcome) => {
      before(call, outcome);
      for (const each of calls) each.onCall?.(call, outcome);
      after?.(call, outcome);
    },
    onFormat: (...what) => {
      for (const each of formats) each.onFormat?.(...what);
    },
    onDamage: (...what) => {
      for (const each of damages) each.onDamage?.(...what);
    },
    onRepair: (...what) => {
      for (const each of repairs) each.onRepair?.(...what);
    },
    onMount: (...what) => {
      for (const each of mounts) each.onMount?.(...what);
    },
    onAttach: (...what) => {
      for (const each of attaches) each.onAttach?.(...what);
    },
    onDetach: (...what) => {
      for (const each of detaches) each.onDetach?.(...what);
    },
    onGroupTerminates: (instanceId) => {
      for (const each of terminations) each.onGroupTerminates?.(instanceId);
    },
    onMapWrite: (...what) => {
      for (const each of writes) each.onMapWrite?.(...what);
    },
    onLifecycleEnd: (action) => {
      for (const each of ends) each.onLifecycleEnd?.(action);
    },
    onPass: (worker) => {
      for (const each of passes) each.onPass?.(worker);
    },
    onServe: (host) => {
      for (const each of serves) each.onServe?.(host);
    },
    onAnswer: (...what) => {
      for (const each of answers) each.onAnswer?.(...what);
    },
    onOperationEnd: (...what) => {
      for (const each of operations) each.onOperationEnd?.(...what);
    },
  };
}
