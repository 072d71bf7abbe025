// Large libraries without state that a test could spoil.
const SHARED = '/node_modules/(aws-cdk-lib|constructs|cdk-nag|@aws-cdk)/';

// They take a minute or more: continuous integration runs them, by their paths (scripts/run-tests.mjs).
const LONG = '\\.long\\.test\\.ts$';

// Code in jest's sandbox finds a global through a proxy, which takes a sixth of the time of a simulation. Each module
// gets these as parameters instead. None that a test replaces (fetch, what fake timers replace) may be here.
const GLOBALS = [
  'Array BigInt Boolean Buffer Error JSON Map Math Number Object Promise Proxy RangeError Reflect RegExp Set String',
  'Symbol TypeError Uint8Array WeakMap WeakSet process structuredClone',
].flatMap((names) => names.split(' '));

/** @type {import('jest').Config} */
module.exports = {
  globalSetup: './test/helpers/global-setup.js',
  testEnvironment: './test/helpers/shared-libraries/environment.js',
  sandboxInjectedGlobals: GLOBALS,
  roots: ['<rootDir>/test'],
  // Not in the temporary folder, which each run has for itself.
  cacheDirectory: '<rootDir>/node_modules/.cache/jest',
  testMatch: ['**/*.test.ts'],
  testPathIgnorePatterns: process.argv.some((argument) => argument.includes('.long.test')) ? [] : [LONG],
  transform: {
    [`${SHARED}.+\\.js$`]: './test/helpers/shared-libraries/transform.js',
    '^.+\\.ts$': ['@swc/jest', { jsc: { target: 'es2022', parser: { syntax: 'typescript' } } }],
  },
  transformIgnorePatterns: ['/node_modules/(?!(aws-cdk-lib|constructs|cdk-nag|@aws-cdk)/)'],
  // D3's other builds are ES modules, which jest does not load.
  moduleNameMapper: { '^(d3-[a-z-]+|internmap)$': '<rootDir>/node_modules/$1/dist/$1.js' },
  // Nobody reaches it: a busy machine takes many times as long.
  testTimeout: 600_000,
  workerIdleMemoryLimit: '1500MB',
};
