import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import type { Finding } from './findings';

const ROOT = join(__dirname, '..', '..');

/** A tool that looks at templates. */
export interface Tool {
  readonly name: string;
  /** The rule that it must find broken in the canary. */
  readonly canary: string;
  readonly check: (files: readonly string[]) => Finding[];
}

/** Standard output of a tool of .venv-templates. */
function output(tool: string, args: readonly string[], codes: (code: number) => boolean): string {
  const { status, stdout, stderr, error } = spawnSync(join('.venv-templates', 'bin', tool), args, {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: 256 * 1024 * 1024,
    timeout: 3_600_000,
  });
  if (error || status === null || !codes(status)) {
    throw new Error(`${tool} ended with ${status ?? error}:\n${stderr || stdout}`);
  }
  return stdout;
}

interface LintMatch {
  readonly Filename: string;
  readonly Message: string;
  readonly Location: { readonly Path?: readonly (string | number)[] };
  readonly Rule: { readonly Id: string };
}

/** AWS's own linter: CloudFormation's schemas, and what its services are known to refuse. */
const cfnLint: Tool = {
  name: 'cfn-lint',
  canary: 'E3012',
  check: (files) => {
    // Informational findings too, but for I1022: how a hand-written template would spell what the CDK joins.
    const options = ['--include-checks', 'I', '--ignore-checks', 'I1022', '--format', 'json'];
    // The code is a set of bits: 2 errors, 4 warnings, 8 information. 1 is cfn-lint's own failure.
    const text = output(
      'cfn-lint',
      [...options, '--template', ...files],
      (code) => code % 2 === 0 && code < 16,
    );
    return (JSON.parse(text || '[]') as LintMatch[]).map(({ Filename, Message, Location, Rule }) => ({
      tool: 'cfn-lint',
      rule: Rule.Id,
      message: Message,
      file: Filename,
      logicalId: Location.Path?.[0] === 'Resources' ? String(Location.Path[1]) : undefined,
    }));
  },
};

interface Scan {
  readonly results: {
    readonly failed_checks: readonly {
      readonly check_id: string;
      readonly check_name: string;
      readonly file_abs_path: string;
      readonly resource: string;
    }[];
    readonly parsing_errors?: readonly string[];
  };
  readonly summary: { readonly resource_count: number; readonly parsing_errors: number };
}

/** Rules of secure configuration, other ones than cdk-nag's. */
const checkov: Tool = {
  name: 'checkov',
  canary: 'CKV_AWS_3',
  check: (files) => {
    // Without its platform: nothing is sent anywhere, and nothing fetched.
    const options = [
      '--framework',
      'cloudformation',
      '--skip-download',
      '--soft-fail',
      '--quiet',
      '--compact',
    ];
    const text = output(
      'checkov',
      [...options, '--output', 'json', '--file', ...files],
      (code) => code === 0,
    );
    const { results, summary } = JSON.parse(text) as Scan;
    if (summary.parsing_errors > 0 || !summary.resource_count) {
      throw new Error(`checkov could not read ${results.parsing_errors?.join(', ') ?? 'any template'}`);
    }
    return results.failed_checks.map(({ check_id, check_name, file_abs_path, resource }) => ({
      tool: 'checkov',
      rule: check_id,
      message: check_name,
      file: files.find((file) => file_abs_path.endsWith(file)) ?? file_abs_path,
      logicalId: resource.split('.').pop(),
    }));
  },
};

export const TOOLS: readonly Tool[] = [cfnLint, checkov];
