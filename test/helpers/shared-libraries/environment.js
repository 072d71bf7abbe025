const { TestEnvironment } = require('jest-environment-node');

/** Node's environment, with a way to modules that all test files of a worker share; see transform.js. */
module.exports = class SharedLibrariesEnvironment extends TestEnvironment {
  constructor(config, context) {
    super(config, context);
    this.global.requireShared = require;
  }
};
