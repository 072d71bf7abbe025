import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkKeptResources, KeptResourceError } from '../../constructs/deployed-data/kept-resources';
import type { DeploymentConfig } from '../../lib/config-types';
import { configsOf } from './configs';
import { problems } from './judge';
import { type State, synthesize } from './state';

/** What becomes of one change of a deployed configuration. */
export interface Step {
  /** For example `on > off`. */
  readonly change: string;
  /** What our own error says; undefined when it may be deployed. */
  readonly refused?: string;
  /** What CloudFormation would refuse or lose; [] when it works. */
  readonly problems: readonly string[];
}

/** Synthesizes configurations, each once. */
export class Walk {
  private readonly folder = mkdtempSync(join(tmpdir(), 'options-'));
  private readonly known = new Map<string, State>();
  private readonly read = new Set<string>();
  private first?: string;

  /** Switches keys on, off and on again, and changes them and back. */
  steps(name: string, paths: readonly string[]): Step[] {
    const { off, on, changed } = configsOf(name, paths);
    const around = [
      ['on', on, 'changed', changed],
      ['changed', changed, 'on', on],
    ] as const;
    const switched = [
      ['off', off, 'on', on],
      ['on', on, 'off', off],
    ] as const;
    try {
      return [...(off ? switched : []), ...around].map(([from, before, to, after]) =>
        this.step(`${from} > ${to}`, name, before!, after!),
      );
    } finally {
      // The first is what most keys start from; the others would fill the memory.
      for (const key of this.known.keys()) if (key !== this.first) this.known.delete(key);
    }
  }

  /** Those that no synthesis has asked for so far: they say something, and nothing comes of it. */
  unread(paths: readonly string[]): string[] {
    return paths.filter((path) => !this.read.has(path));
  }

  close(): void {
    rmSync(this.folder, { recursive: true });
  }

  private step(change: string, name: string, from: DeploymentConfig, to: DeploymentConfig): Step {
    const before = this.state(name, from);
    try {
      return { change, problems: problems(before, this.next(before, name, from, to)) };
    } catch (error) {
      if (error instanceof KeptResourceError) return { change, refused: error.message, problems: [] };
      throw error;
    }
  }

  /**
   * What is deployed after another one: what is recorded of that decides whether it may be, and of tags, what they are.
   */
  private next(before: State, name: string, from: DeploymentConfig, to: DeploymentConfig): State {
    if (JSON.stringify(from.tags) !== JSON.stringify(to.tags))
      return synthesize(name, to, this.folder, before.kept, this.read);
    const record = join(this.folder, 'deployed.json');
    const after = this.state(name, to);
    writeFileSync(record, JSON.stringify(before.kept));
    checkKeptResources(record, after.kept);
    return after;
  }

  private state(name: string, config: DeploymentConfig): State {
    const key = JSON.stringify([name, config]);
    const state = this.known.get(key) ?? synthesize(name, config, this.folder, {}, this.read);
    this.known.set(key, state);
    this.first ??= key;
    return state;
  }
}
