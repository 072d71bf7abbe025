import { CfnDocument } from 'aws-cdk-lib/aws-ssm';
import { Construct } from 'constructs';
import type { DefinedDocument } from '../private/benchmark-definition';
import { benchmarkDocuments } from './documents';

/** Before and after every test. */
const ALWAYS = ['install', 'clean-up'];

/** The documents of Systems Manager that the tests are. */
export class BenchmarkDocuments extends Construct {
  /** By their logical names. */
  readonly definitions: { readonly [logicalName: string]: DefinedDocument };

  constructor(scope: Construct, id: string, tests: readonly string[]) {
    super(scope, id);
    const wanted = benchmarkDocuments().filter(({ name }) => ALWAYS.includes(name) || tests.includes(name));
    this.definitions = Object.fromEntries(
      wanted.map(({ name, content, parameters }) => {
        const resource = new CfnDocument(this, name, {
          documentType: 'Command',
          documentFormat: 'JSON',
          // Runs that are under way go on with the version that they began with.
          updateMethod: 'NewVersion',
          content,
        });
        return [name, { name: resource.ref, parameters: Object.keys(parameters) }];
      }),
    );
  }
}
