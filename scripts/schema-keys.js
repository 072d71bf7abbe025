/**
 * For esbuild: the schemas of the AWS SDK without computed keys, so that those which no call of a function needs are
 * left out.
 *
 * A client has one module with the shapes of all its calls, each an array that stands for itself. Many have objects
 * whose keys are constants of that module, `{ [_xN]: _Fil }`. A computed key may call code, for all that a bundler
 * knows, so that such a shape is kept with whatever it names: of EC2's half a megabyte a function that describes
 * instances needs a twentieth. The key itself in its place, `{ "xmlName": _Fil }`, says the same and is known to do
 * nothing.
 */
const SCHEMAS = /@aws-sdk[\\/]client-[^\\/]+[\\/]dist-es[\\/]schemas[\\/]schemas_\d+\.js$/;

/** The text of a module, with those keys written out that are its own constant texts. */
function withLiteralKeys(text) {
  const constants = new Map(
    [...text.matchAll(/^const (\w+) = ("(?!__proto__")[^"\\\n]*");$/gm)].map(([, name, value]) => [
      name,
      value,
    ]),
  );
  return text.replace(/\[(\w+)\]:/g, (computed, name) =>
    constants.has(name) ? `${constants.get(name)}:` : computed,
  );
}

const literalSchemaKeys = {
  name: 'literal-schema-keys',
  setup(build) {
    const { readFileSync } = require('node:fs');
    build.onLoad({ filter: SCHEMAS }, ({ path }) => ({
      contents: withLiteralKeys(readFileSync(path, 'utf8')),
    }));
  },
};

module.exports = { literalSchemaKeys, withLiteralKeys };
