// The verbs that ask AWS, as one file of the bundle: they share its clients.

export { runBackup } from './run-backup';
export { runImages } from './run-images';
export { runPreflight } from './run-preflight';
export { runRestore } from './run-restore';
export { runStart, runStop } from './run-sleep';
