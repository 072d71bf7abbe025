import type { InputTable } from '../constructs/private/inputs/table';

/** Writes the table when it is not there, or older than a source of it. */
export function ensureInputTable(): void;
/** The table, from the sources. */
export function inputTable(): InputTable;
