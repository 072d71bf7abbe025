/** One place in the source and what stands there instead. */
export interface Edit {
  /** From the root of the project. */
  readonly file: string;
  /** Text that occurs exactly once in the file. */
  readonly find: string;
  readonly replace: string;
}

/** A deliberate bug in the code under test. */
export interface Mutation {
  readonly name: string;
  /** What a developer might have thought. */
  readonly bug: string;
  readonly edits: readonly Edit[];
}

/** The source with the bug in it; an error when the place is not there any more, or not the only one. */
export function mutate(source: string, edit: Edit): string {
  const parts = source.split(edit.find);
  if (parts.length === 2) return parts.join(edit.replace);
  throw new Error(`${edit.file} holds ${parts.length - 1} times what a mutation replaces: ${edit.find}`);
}
