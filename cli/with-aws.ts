// The verbs that ask AWS, as one file of the bundle: they share its clients.
export { runImages } from './run-images';
export { runPreflight } from './run-preflight';
export { runStart, runStop } from './run-sleep';
