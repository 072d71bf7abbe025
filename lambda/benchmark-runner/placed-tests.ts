import type { BenchmarkDefinition, DefinedTest } from '../../constructs/private/benchmark-definition';
import { type EstimatedHost, type EstimatedTest, estimatedHost } from '../../constructs/sizing';
import type { Machines, ObservedMachines } from './chosen-machines';
import type { Instance } from './ports';
import { chosenTests, type RunRequest } from './request';
import { parametersOf, type Wave, wavesOf } from './waves';

/** A test that is asked for, with the hosts that run it. */
export interface PlacedTest {
  readonly test: DefinedTest;
  readonly waves: Wave[];
  /** Why no host runs it. */
  readonly leftOut?: string;
  /** The same on all hosts. */
  readonly parameters: Record<string, string>;
}

/** Puts the tests that are asked for on the machines that are. */
export function placedTests(
  definition: BenchmarkDefinition,
  request: RunRequest,
  chosen: Machines,
  { online }: Pick<ObservedMachines, 'online'>,
): PlacedTest[] {
  return chosenTests(definition.tests, request.tests).map((test) => {
    const machines = test.on === 'servers' ? chosen.servers : chosen.hosts;
    const { waves, leftOut } = wavesOf(test, machines, online, request.parallel ?? definition.parallel);
    return { test, waves, leftOut, parameters: parametersOf(test, request.sizes) };
  });
}

/** A test as the estimate wants it. */
export function testToEstimate(
  { test, waves, parameters }: PlacedTest,
  machines: ReadonlyMap<string, Instance>,
): EstimatedTest {
  return {
    id: test.id,
    test: test.test,
    path: test.path,
    parameters: { ...parameters, ...waves[0]?.parameters },
    waves: waves.map(({ hosts }) => hosts.map((id) => hostToEstimate(machines.get(id)))),
  };
}

/** A machine for the estimate, with as many volumes as EC2 sees on it now. */
const hostToEstimate = (machine: Instance | undefined): EstimatedHost =>
  estimatedHost(
    machine?.instanceType ?? '',
    machine?.volumes === undefined ? undefined : [{ count: machine.volumes }],
  );
