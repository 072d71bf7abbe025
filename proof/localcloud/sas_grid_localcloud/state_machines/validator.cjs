// asl-validator, which makes an Ajv for each definition, always with the same schemas, formats and keywords. To compile
// those takes longer than all else that it does, so it gets the first Ajv each time.
const ajv = require('ajv');

let first;
ajv.default = new Proxy(ajv.default, {
  construct(Original, [options]) {
    if (first === undefined) first = new Original(options);
    // It refuses to be told of a keyword twice.
    else first.addKeyword = () => first;
    return first;
  },
});
const validate = require('asl-validator');

/** What is wrong with a definition in Amazon States Language, code first. */
exports.errorsIn = (definition) =>
  validate(definition, { checkPaths: true, checkArn: true }).errors.map(
    (one) => `${one['Error code']}: ${one.Message}`,
  );
