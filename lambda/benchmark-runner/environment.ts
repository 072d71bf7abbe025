import { EnvironmentReader } from '../shared/environment';

/** What the function's environment says. */
export interface Environment {
  readonly bucket: string;
  readonly table: string;
  readonly benchmark: string;
  readonly notRepresentative?: string;
}

/** Reads the environment; an error names what is missing. */
export function environmentOf(env: { readonly [name: string]: string | undefined }): Environment {
  const read = new EnvironmentReader(env);
  const notRepresentative = emulated(env.AWS_ENDPOINT_URL);
  return {
    bucket: read.text('BUCKET'),
    table: read.text('TABLE'),
    benchmark: read.text('BENCHMARK'),
    ...(notRepresentative && { notRepresentative }),
  };
}

/**
 * What an AWS on the loopback interface means for the figures. The real one is never there, and the embedded one always
 * is: nobody has to remember to say so.
 */
function emulated(endpoint: string | undefined): string | undefined {
  if (!endpoint || !URL.canParse(endpoint)) return undefined;
  const { hostname } = new URL(endpoint);
  const loopback = hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname);
  if (!loopback) return undefined;
  return (
    'Measured on an emulated AWS on one machine: all hosts share its processors and its disk. ' +
    'The figures say nothing of any storage on AWS.'
  );
}
