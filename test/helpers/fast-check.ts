import fc from 'fast-check';

/**
 * Properties are tried with the same values each time, so that a run of the tests fails for what was changed and for
 * nothing else. `PROPERTIES=any npx jest` tries them with others, and prints the seed of what it finds.
 */
if (process.env.PROPERTIES !== 'any') fc.configureGlobal({ seed: 20151125 });

export * from 'fast-check';
export default fc;
