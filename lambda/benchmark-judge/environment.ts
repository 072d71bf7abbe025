import { EnvironmentReader } from '../shared/environment';

/** What the function's environment variables say, as the construct sets them. */
export interface Environment {
  /** Table of the runs. */
  readonly table: string;
  /** Lambda sets it. */
  readonly region: string;
  /** Topic that is told of every run. */
  readonly topicArn?: string;
  readonly dashboardUrl?: string;
}

/** Reads the environment; an error names what is missing. */
export function environmentOf(env: { [name: string]: string | undefined }): Environment {
  const read = new EnvironmentReader(env);
  return {
    table: read.text('TABLE'),
    region: read.text('AWS_REGION'),
    topicArn: env.TOPIC_ARN || undefined,
    dashboardUrl: env.DASHBOARD_URL || undefined,
  };
}
