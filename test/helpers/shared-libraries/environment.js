const { AsyncLocalStorage } = require('node:async_hooks');
const { TestEnvironment } = require('jest-environment-node');

// jest keeps the running test in such a storage, to say whose an unhandled rejection is; Node.js 20 then calls a hook
// for each promise, which is a quarter of the time of a simulation. Without it such a rejection fails its file instead
// of its test.
AsyncLocalStorage.prototype.run = (_store, callback, ...given) => callback(...given);

// Apps need not know which line of which test made a construct. To find out is work for each of them, and jest
// multiplies it: it looks for a source map for each line of each stack trace. Nor does a test need copies of the
// functions. The CDK takes context from here as its command line gives it.
process.env.CDK_CONTEXT_JSON ??= JSON.stringify({
  'aws:cdk:disable-creation-stack-traces': true,
  'aws:cdk:disable-asset-staging': true,
});

/** Node's environment, with a way to modules that all test files of a worker share; see transform.js. */
module.exports = class SharedLibrariesEnvironment extends TestEnvironment {
  constructor(config, context) {
    super(config, context);
    this.global.requireShared = require;
  }

  async setup() {
    await super.setup();
    // Of the libraries' realm; tests have their own.
    Error.stackTraceLimit = 10;
    withoutMapsForTraces();
  }
};

/**
 * The CDK notes where each finding was acknowledged: it has a plain object given a stack trace. jest would look for a
 * source map for each of its lines, which takes a tenth of a synthesis. Errors keep theirs.
 */
function withoutMapsForTraces() {
  const mapped = Error.prepareStackTrace;
  Error.prepareStackTrace = (error, frames) =>
    Object.prototype.toString.call(error) === '[object Error]'
      ? mapped(error, frames)
      : ['Error', ...frames].join('\n    at ');
}
