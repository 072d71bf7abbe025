// Definitions of state machines, one line of JSON each with {id, definition}; a line of {id, errors} for each.
const { createInterface } = require('node:readline');
const { errorsIn } = require('./validator.cjs');

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, definition } = JSON.parse(line);
  let errors;
  try {
    errors = errorsIn(definition);
  } catch (problem) {
    errors = [`SCHEMA_VALIDATION_FAILED: ${problem.message}`];
  }
  process.stdout.write(`${JSON.stringify({ id, errors })}\n`);
});
