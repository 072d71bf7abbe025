import { App, type AppProps, Stack, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import type { Construct } from 'constructs';

/** The environment that tests synthesize for. */
export const TEST_ENV = { account: '111122223333', region: 'us-east-1' };

/**
 * An app for assertion tests, without the built-in template validation: it costs seconds per synthesis and runs once
 * per reference deployment instead. Nor does it write a tree of its constructs, which no test reads.
 */
export function testApp(context: Record<string, unknown> = {}, props: AppProps = {}): App {
  return new App({
    builtinCloudFormationValidation: false,
    treeMetadata: false,
    // After what the environment of all tests sets; shared-libraries/environment.js.
    postCliContext: context,
    ...props,
  });
}

/** A stack in a test app of its own, for a concrete account and region. */
export function testStack(app: App = testApp(), id = 'Test'): Stack {
  return new Stack(app, id, { env: TEST_ENV });
}

/**
 * Builds a stack, runs cdk-nag's AwsSolutions pack on it and returns the findings nobody acknowledged,
 * as 'rule at path'; [] when all is well.
 */
export function nagFindings(build: (scope: Construct) => void): string[] {
  const app = testApp();
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  build(testStack(app));
  try {
    app.synth();
    return [];
  } catch (error) {
    return String((error as Error).message).split('\n');
  }
}
