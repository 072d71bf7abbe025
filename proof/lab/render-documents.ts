// Prints the programs of the documents that ask and tell hosts: {name: {program, defaults of its parameters}}.
import { App, Stack } from 'aws-cdk-lib';
import type { CfnDocument } from 'aws-cdk-lib/aws-ssm';
import { holdDocument, sleepDocument } from '../../constructs/operations/host-documents';
import { healthDocument } from '../../constructs/sas-grid-cluster/health-documents';
import { probeDocument } from '../../constructs/volume-reattachment/probe-document';
import { serveDocument } from '../../constructs/volume-reattachment/serve-document';

interface Content {
  readonly mainSteps: { readonly inputs: { readonly runCommand: string[] } }[];
  readonly parameters?: { readonly [name: string]: { readonly default?: string } };
}

const app = new App();

/** A stack for each document, so that names do not meet. */
function made(name: string, make: (stack: Stack) => unknown): { program: string; defaults: object } {
  const stack = new Stack(app, name);
  make(stack);
  const document = stack.node.findAll().find((one) => 'content' in one) as CfnDocument;
  const content: Content = stack.resolve(document.content);
  const parameters = Object.entries(content.parameters ?? {});
  return {
    program: content.mainSteps[0]!.inputs.runCommand.join('\n'),
    defaults: Object.fromEntries(parameters.map(([key, parameter]) => [key, parameter.default ?? ''])),
  };
}

process.stdout.write(
  JSON.stringify({
    probe: made('Probe', (stack) => probeDocument(stack, 'oss')),
    serve: made('Serve', (stack) => serveDocument(stack, 'oss')),
    'node-health': made('NodeHealth', (stack) => healthDocument(stack)),
    sleep: made('Sleep', (stack) => sleepDocument(stack, 'lab')),
    hold: made('Hold', (stack) => holdDocument(stack, 'lab')),
  }),
);
