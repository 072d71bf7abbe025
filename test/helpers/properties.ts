import type { Stack } from 'aws-cdk-lib';
import { App, CfnWaitConditionHandle } from 'aws-cdk-lib';
import { testApp, testStack } from './app';
import fc from './fast-check';

// A few runs with one seed, since each of them synthesizes a stack. PROPERTY_TIMES=10 asks for ten times as many: other
// ones each time, or those of PROPERTY_SEED, and then the built-in validation looks at each template, too.
const MORE = Number(process.env.PROPERTY_TIMES ?? 0);
// As in cdk.json: what the validation finds is an error.
const VALIDATED = { '@aws-cdk/core:validateAgainstDefaultRules': true };
const SEED = process.env.PROPERTY_SEED;

/** What a message to a user says: where and what, its value, the range, the fix. */
const OUR_MESSAGE = /^[\s\S]+ (is|are) [\s\S]+; allowed: [\s\S]+\. [\s\S]+/;

// A number token, a text token and values that became text by mistake.
const BROKEN = /-1\.888154\d*e\+?289|\$\{Token\[|#\{Token\[|\bNaN\b|\[object Object\]|=undefined\b|=null\b/;

// Packed host software has any letters in a row.
const PACKED = /<<'BUNDLE'\\n.*?\\nBUNDLE\\n/g;

/** Whether a construct takes its properties. */
export type Outcome = 'accepted' | 'refused';

/**
 * Makes something in a stack of its own and synthesizes it: a sound template, or an error that tells a user what to do.
 *
 * @throws on anything else, such as a TypeError or an error from inside the CDK
 */
export function outcome(
  make: (stack: Stack) => void,
  check: (template: Template) => void = () => {},
): Outcome {
  const app = MORE > 0 ? new App({ context: VALIDATED }) : testApp();
  const stack = testStack(app);
  // A template without resources is none.
  new CfnWaitConditionHandle(stack, 'Something');
  try {
    make(stack);
  } catch (error) {
    return ours(error as Error);
  }
  let template: Template;
  try {
    template = app.synth().getStackArtifact(stack.artifactId).template as Template;
  } catch (error) {
    return ours(error as Error);
  }
  const broken = BROKEN.exec(JSON.stringify(template).replace(PACKED, ''));
  if (broken) throw new Error(`the template has '${broken[0]}' in it`);
  check(template);
  return 'accepted';
}

/** The template of a stack. */
export interface Template {
  readonly Resources: Record<
    string,
    { readonly Type: string; readonly Properties?: Record<string, unknown> }
  >;
}

function ours(error: Error): Outcome {
  if (error.name === 'InvalidInputError' && OUR_MESSAGE.test(error.message)) return 'refused';
  throw new Error(`not an error that tells a user what to do: ${error.name}: ${error.message}`, {
    cause: error,
  });
}

/**
 * Tries a construct with properties that are right, and with properties of which one or two are whatever their type
 * allows.
 *
 * @param right properties that have to be accepted
 * @param wild whatever the types allow, by property
 * @param runs how many of each, without PROPERTY_TIMES
 */
export function tryProperties<Props extends object>(
  right: fc.Arbitrary<Props>,
  wild: { [Key in keyof Props]?: fc.Arbitrary<Props[Key]> },
  runs: { right: number; wild: number },
  build: (props: Props) => Outcome,
): void {
  const settings = (few: number) =>
    MORE > 0
      ? { numRuns: Math.ceil(few * MORE), ...(SEED !== undefined && { seed: Number(SEED) }) }
      : { numRuns: few, seed: Number(SEED ?? 20150401) };
  const timeout = MORE > 0 ? 3_600_000 : undefined;

  test(
    'takes what is right',
    () => {
      fc.assert(
        fc.property(right, (props) => expect(build(props)).toBe('accepted')),
        settings(runs.right),
      );
    },
    timeout,
  );

  test(
    'takes or refuses whatever else there is, and says what to do',
    () => {
      const seen = new Set<Outcome>();
      const changes = fc
        .shuffledSubarray(Object.keys(wild) as (keyof Props)[], { minLength: 1, maxLength: 2 })
        .chain((keys) => fc.record(Object.fromEntries(keys.map((key) => [key, wild[key]!]))));
      fc.assert(
        fc.property(right, changes, (props, change) => {
          seen.add(build({ ...props, ...change }));
        }),
        settings(runs.wild),
      );
      expect(seen).toContain('refused');
    },
    timeout,
  );
}
