/** Chaos: deploy to the embedded AWS, harm the servers and what repairs them, verify that nothing was lost. */
import { start } from '../kit/program';
import { Chaos } from './chaos';
import { parseChaosOptions, USAGE } from './options';

// This test's own calls are refused as too many, too.
process.env.AWS_MAX_ATTEMPTS = '6';

start({
  usage: USAGE,
  parse: parseChaosOptions,
  make: (options, root, terminal) => new Chaos(options, root, terminal),
});
