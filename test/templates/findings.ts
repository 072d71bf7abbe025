/** A finding of a tool in a template. */
export interface Finding {
  readonly tool: string;
  readonly rule: string;
  readonly message: string;
  /** Path of the template. */
  readonly file: string;
  /** Logical id; undefined when the finding is about the template as a whole. */
  readonly logicalId?: string;
}

/** Findings that are right as they are, and why. */
export interface Acknowledgement {
  readonly rule: string;
  /** Resources as `<type> <logical id without its hash>`; `*` stands for any part of the id. */
  readonly resources: string[];
  /** The one deployment that it is about; every one when it is left out. */
  readonly deployment?: string;
  /** Day of the decision, yyyy-mm-dd. */
  readonly date: string;
  readonly reason: string;
}

/** Templates by path, of which only the resources matter here. */
export type Templates = Readonly<Record<string, { readonly Resources: Record<string, { Type: string }> }>>;

/** Findings divided into those that somebody acknowledged and the others, and acknowledgements that nothing needs. */
export interface Verdict {
  readonly open: Finding[];
  readonly acknowledged: Finding[];
  readonly unused: { readonly rule: string; readonly resource: string }[];
}

// A type in full, then at least three letters of the name: what fits every resource of a type is no acknowledgement of
// any of them.
const RESOURCE = /^AWS::\w+::\w+ [\w*]*\w{3}[\w*]*$/;
const HASH = /[0-9A-F]{8}$/;

/** What is wrong with the acknowledgements themselves. */
export function malformed(acknowledgements: readonly Acknowledgement[]): string[] {
  return acknowledgements.flatMap(({ rule, resources, date, reason }, index) => [
    ...(resources ?? [''])
      .filter((resource) => !RESOURCE.test(resource))
      .map(
        (resource) =>
          `acknowledgement ${index + 1} (${rule}): resource is '${resource}'; allowed: a whole type, a blank, ` +
          "and a name in which * may stand for some of it, such as 'AWS::SQS::Queue *DeadLetters'. Name the " +
          'resources one by one.',
      ),
    ...(/^\d{4}-\d\d-\d\d$/.test(String(date))
      ? []
      : [`acknowledgement ${index + 1} (${rule}) has no date, yyyy-mm-dd.`]),
    ...(reason?.trim().length > 20 ? [] : [`acknowledgement ${index + 1} (${rule}) has no reason.`]),
  ]);
}

/** The resource of a finding, as acknowledgements name it. */
export function resourceOf({ file, logicalId }: Finding, templates: Templates): string | undefined {
  const type = logicalId === undefined ? undefined : templates[file]?.Resources[logicalId]?.Type;
  return type && `${type} ${logicalId!.replace(HASH, '')}`;
}

/** The deployment that a template is of; run.ts names the folder after it. */
export const deploymentOf = (file: string): string | undefined => /cdk\.out-([^/]+)/.exec(file)?.[1];

/**
 * Holds findings against acknowledgements. One that fits no finding is as wrong as a finding that nobody acknowledged.
 */
export function judge(
  findings: readonly Finding[],
  acknowledgements: readonly Acknowledgement[],
  templates: Templates,
): Verdict {
  const lines = acknowledgements.flatMap(({ rule, resources, deployment }) =>
    resources.map((resource) => ({ rule, resource, deployment, fits: pattern(resource), used: false })),
  );
  const open: Finding[] = [];
  const acknowledged: Finding[] = [];
  for (const finding of findings) {
    const resource = resourceOf(finding, templates);
    const fitting = lines.filter(
      ({ rule, fits, deployment }) =>
        rule === finding.rule &&
        resource !== undefined &&
        fits.test(resource) &&
        (deployment === undefined || deployment === deploymentOf(finding.file)),
    );
    for (const line of fitting) line.used = true;
    (fitting.length > 0 ? acknowledged : open).push(finding);
  }
  const unused = lines.filter(({ used }) => !used).map(({ rule, resource }) => ({ rule, resource }));
  return { open, acknowledged, unused };
}

const pattern = (resource: string): RegExp => new RegExp(`^${resource.replaceAll('*', '\\w*')}$`);
