import { EnvironmentReader } from '../environment';

/** What the environment variables of an operation's function say, as its construct sets them. */
export interface OperationEnvironment<Settings> {
  readonly settings: Settings;
  /** The table with the lock of the deployment. */
  readonly table: string;
  readonly document: string;
}

/** Reads the environment; an error names what is missing. */
export function environmentOf<Settings extends { readonly deadlineSeconds: number }>(env: {
  readonly [name: string]: string | undefined;
}): OperationEnvironment<Settings> {
  const read = new EnvironmentReader(env);
  return {
    table: read.text('OPERATIONS_TABLE'),
    document: read.text('DOCUMENT'),
    settings: { ...JSON.parse(read.text('DEPLOYMENT')), deadlineSeconds: read.count('DEADLINE_SECONDS') },
  };
}
