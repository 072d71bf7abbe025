import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as ssm from 'aws-cdk-lib/aws-ssm';
import type { Construct } from 'constructs';
import { hostFiles } from './package-root';

/** A program that hosts run when they are sent its document. */
export interface CommandDocumentProps {
  readonly description: string;
  /** Name of its only step. */
  readonly step: string;
  /** The lines of the program, its interpreter first. */
  readonly program: readonly string[];
  /** Seconds that the program itself may take, with all that it waits for, and a little more. Or a parameter. */
  readonly timeoutSeconds: string;
  /** Parameters of the document. */
  readonly parameters?: object;
}

/** The lines of a program of `constructs/host/documents`, its interpreter first. */
export function hostProgram(name: string): string[] {
  return readFileSync(join(hostFiles(), 'documents', name), 'utf8')
    .trimEnd()
    .split('\n');
}

/**
 * The same without comments, empty lines and indentation, its interpreter and the rest as one text: the template of a
 * big tier has little room, and pays for each line of a list. Comments that begin with a code are data of the program.
 */
export function bareHostProgram(name: string): { readonly interpreter: string; readonly program: string } {
  const [interpreter, ...lines] = hostProgram(name);
  const program = lines
    .map((line) => line.trim().replace(/^(#(?: 0x[0-9a-f]+)+) .*/, '$1'))
    .filter((line) => line !== '' && !/^#(?! 0x)/.test(line))
    .join('\n');
  return { interpreter: interpreter!, program };
}

/**
 * A document of Systems Manager whose text is a program. It needs no room in user data, and a changed one reaches the
 * hosts that run.
 */
export function commandDocument(scope: Construct, id: string, props: CommandDocumentProps): ssm.CfnDocument {
  const { description, parameters, program, step, timeoutSeconds } = props;
  return new ssm.CfnDocument(scope, id, {
    documentType: 'Command',
    documentFormat: 'JSON',
    updateMethod: 'NewVersion',
    content: {
      schemaVersion: '2.2',
      description,
      ...(parameters && { parameters }),
      mainSteps: [
        {
          action: 'aws:runShellScript',
          name: step,
          inputs: { timeoutSeconds, runCommand: program },
        },
      ],
    },
  });
}
