// The verbs that ask AWS, as one file of the bundle: they share its clients.

export { runBackup } from './run-backup';
export { runBench } from './run-bench';
export { runBundle } from './run-bundle';
export { runGameDay } from './run-gameday';
export { runImages } from './run-images';
export { runLogs } from './run-logs';
export { runPreflight } from './run-preflight';
export { runRestore } from './run-restore';
export { runStart, runStop } from './run-sleep';
export { runStatus } from './run-status';
