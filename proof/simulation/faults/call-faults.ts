import type { CallFault } from '../aws/call';
import type { Random } from '../core/random';
import type { Fault } from './kinds';

const SECOND = 1000;

/**
 * What each function calls, and about how often in a run that it has something to do in. A fault that is meant for any
 * call of an operation meets those of the reconciler only, which makes nearly all; these are struck as often as each
 * other.
 */
const CALLS: { readonly [worker: string]: { readonly [operation: string]: number } } = {
  reconciler: {
    AttachNetworkInterface: 4,
    AttachVolume: 8,
    CompleteLifecycleAction: 6,
    CreateTags: 2,
    DescribeAutoScalingGroups: 60,
    DescribeScalingActivities: 4,
    DescribeInstances: 60,
    DescribeNetworkInterfaces: 60,
    DescribeVolumes: 60,
    DetachNetworkInterface: 2,
    DetachVolume: 2,
    GetCommandInvocation: 30,
    ListCommandInvocations: 3,
    ModifyInstanceAttribute: 2,
    ModifyNetworkInterfaceAttribute: 2,
    Query: 60,
    RecordLifecycleActionHeartbeat: 4,
    SendCommand: 6,
    SetInstanceHealth: 1,
    TransactWriteItems: 6,
    UpdateItem: 100,
  },
  seed: {
    DescribeVolumes: 3,
    PutAnswer: 3,
    Query: 6,
    StartExecution: 2,
    TransactWriteItems: 6,
    UpdateItem: 3,
  },
  prober: {
    DescribeAutoScalingGroups: 6,
    DescribeInstanceInformation: 6,
    DescribeInstanceRefreshes: 2,
    DescribeStacks: 2,
    ListCommandInvocations: 6,
    Query: 6,
    SendCommand: 6,
    SetInstanceHealth: 2,
    TransactWriteItems: 2,
    UpdateItem: 10,
  },
  sleep: {
    DeleteItem: 6,
    DescribeAutoScalingGroups: 10,
    DescribeInstanceInformation: 2,
    ListCommandInvocations: 3,
    Query: 10,
    SendCommand: 2,
    UpdateAutoScalingGroup: 2,
    UpdateItem: 6,
  },
  'node-health': {
    DescribeInstanceInformation: 2,
    DescribeInstances: 2,
    ListCommandInvocations: 2,
    ListCommands: 2,
    SendCommand: 2,
  },
};

const PAIRS = Object.entries(CALLS).flatMap(([worker, operations]) =>
  Object.entries(operations).map(([operation, most]) => ({ worker, operation, most })),
);

/** Calls that change something: what is done twice, or half, does its harm here. */
const WRITES = [
  'AttachVolume',
  'AttachNetworkInterface',
  'DetachVolume',
  'DetachNetworkInterface',
  'CreateTags',
  'ModifyInstanceAttribute',
  'CompleteLifecycleAction',
  'RecordLifecycleActionHeartbeat',
  'SendCommand',
  'SetInstanceHealth',
  'UpdateItem',
  'TransactWriteItems',
  'PutItem',
  'StartExecution',
] as const;

/** What happens to a call, of all that can. */
function whatHappens(random: Random): CallFault {
  const kind = random.pick([
    'crash-before',
    'crash-after',
    'crash-before',
    'crash-after',
    'timeout-before',
    'timeout-after',
    'throttle',
    'server-error-before',
    'server-error-after',
    'slow',
    'late',
    'conflict',
  ] as const);
  return kind === 'slow' || kind === 'late' ? { kind, ms: random.int(1, 85) * SECOND } : { kind };
}

/** Something happens to one call. */
export function callFault(random: Random): Fault {
  const fault = whatHappens(random);
  const draw = random.next();
  if (draw < 0.45) return callFaultIn(random, random.pick(PAIRS), fault);
  if (draw < 0.8) return { kind: 'call', operation: random.pick(WRITES), nth: random.int(1, 8), fault };
  return { kind: 'call', nth: random.int(1, 250), fault };
}

/**
 * Something happens to one of a function's calls.
 *
 * @param operations of these; of any when it names none
 */
export function callFaultOf(random: Random, worker: string, operations: readonly string[] = []): Fault {
  const pairs = PAIRS.filter(
    (each) => each.worker === worker && (operations.length === 0 || operations.includes(each.operation)),
  );
  return callFaultIn(random, random.pick(pairs), whatHappens(random));
}

function callFaultIn(
  random: Random,
  { worker, operation, most }: (typeof PAIRS)[number],
  fault: CallFault,
): Fault {
  return { kind: 'call', worker, operation, nth: random.int(1, most), fault };
}
