// Jest loads every module anew for each test file, and aws-cdk-lib takes seconds. In place of such a library's module,
// tests get the one that Node loaded once for the worker.
module.exports = {
  process: (_source, file) => ({ code: `module.exports = requireShared(${JSON.stringify(file)});` }),
  getCacheKey: (_source, file) => `shared ${file}`,
};
