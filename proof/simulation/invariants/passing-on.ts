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
  const passOn = <K extends keyof Observer>(event: K): NonNullable<Observer[K]> => {
    const listening = told(event);
    const tell = (...what: unknown[]): void => {
      for (const each of listening) (each[event] as (...what: unknown[]) => void).apply(each, what);
    };
    return tell as NonNullable<Observer[K]>;
  };
  return {
    onStep: (world) => {
      for (const each of steps) each.onStep?.(world);
    },
    onCall: (call, outcome) => {
      before(call, outcome);
      for (const each of calls) each.onCall?.(call, outcome);
      after?.(call, outcome);
    },
    onFormat: passOn('onFormat'),
    onDamage: passOn('onDamage'),
    onRepair: passOn('onRepair'),
    onMount: passOn('onMount'),
    onAttach: passOn('onAttach'),
    onDetach: passOn('onDetach'),
    onGroupTerminates: passOn('onGroupTerminates'),
    onMapWrite: passOn('onMapWrite'),
    onLifecycleEnd: passOn('onLifecycleEnd'),
    onPass: passOn('onPass'),
    onServe: passOn('onServe'),
    onAnswer: passOn('onAnswer'),
    onOperationEnd: passOn('onOperationEnd'),
  };
}
