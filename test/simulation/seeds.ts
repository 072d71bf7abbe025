/** The seeds that every run of the tests takes: the same ones for the code as it is and with a bug in it. */
export const BASE_SEED = 5_000_000;
export const RUNS = 150;

/** How many of them a deliberate bug may take until it is caught. */
export const MUTATION_RUNS = 1000;
