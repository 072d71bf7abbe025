import type { Aws } from './aws/port';
import type { Needs } from './needs/needs';

/** `unchecked` is never taken for `passed`: nobody knows. */
export type Status = 'passed' | 'warning' | 'unchecked' | 'failed';

/** What a check has found out about one thing. */
export interface Finding {
  readonly status: Status;
  /** One sentence, or a few words. */
  readonly text: string;
  /** The command that mends it, or what to edit. */
  readonly fix?: string;
  /** Where more can be done, such as the page of a quota. */
  readonly link?: string;
  /** The right that the caller lacks. */
  readonly action?: string;
}

/** A finding, and which check has it. */
export interface Told extends Finding {
  readonly check: string;
}

/** What a check looks at. */
export interface Subject {
  readonly deployment: string;
  readonly needs: Needs;
  readonly aws: Aws;
  /** The folder with the configuration is the caller's: its own application has no such file. */
  readonly configuration?: string;
}

export interface Check {
  readonly name: string;
  readonly run: (subject: Subject) => Promise<Finding[]>;
}

export const passed = (text: string): Finding => ({ status: 'passed', text });

/** Whether something with tags belongs to the deployment: it is counted with what the templates need, once. */
export function isOwn(
  { tags }: { readonly tags: { readonly [key: string]: string } },
  subject: Subject,
): boolean {
  const { deployment, needs } = subject;
  return (
    tags['cdk-sas-grid:deployment'] === deployment ||
    needs.stacks.includes(tags['aws:cloudformation:stack-name'] ?? '')
  );
}
