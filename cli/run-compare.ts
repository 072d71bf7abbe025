import { readFileSync } from 'node:fs';
import { ConfigError, parseConfig } from '../lib/config';
import { OptionError } from './arguments';
import type { Output } from './output';
import { type Assessment, assessConfiguration, comparisonJson } from './planner/compare';
import { printComparison } from './planner/compare-text';
import type { CompareOptions } from './planner/options';
import { Terminal } from './terminal';

/** Compares two configurations. @returns the exit code */
export function runCompare(options: CompareOptions, { out, env }: Output): number {
  const [a, b] = [assessFile(options.files[0], options), assessFile(options.files[1], options)];
  if (options.format === 'json') out.write(comparisonJson(a, b, options.readShare));
  else printComparison(new Terminal(out, env), [a, b], options.readShare, out.columns);
  return 0;
}

/** @throws OptionError when the file is not there, or is no configuration */
function assessFile(file: string, options: CompareOptions): Assessment {
  try {
    return assessConfiguration(file, parseConfig(textOf(file), file), options.readShare, options);
  } catch (error) {
    if (error instanceof ConfigError) throw new OptionError(error.message);
    throw error;
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const why = code === 'ENOENT' ? 'is not there' : `cannot be read: ${message}`;
    throw new OptionError(
      `${file} ${why}. Type the path of a configuration, such as config/sas-grid-lustre.yaml`,
    );
  }
}
