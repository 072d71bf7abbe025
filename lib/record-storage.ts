import {
  type KeptResources,
  readRecord,
  recordKeptResources,
} from '../constructs/deployed-data/kept-resources';

/**
 * Writes down what of a deployment is deployed first, its network and its storage. What is recorded of the rest stays:
 * it is deployed later, and recorded then.
 */
export function recordKeptStorage(file: string, deployment: string, resources: KeptResources): void {
  const first = [`${deployment}-network`, `${deployment}-storage`];
  const choose = (all: KeptResources, wanted: boolean) =>
    Object.fromEntries(
      Object.entries(all).filter(([part]) => first.includes(part.split('/')[0]!) === wanted),
    );
  recordKeptResources(file, { ...choose(readRecord(file), false), ...choose(resources, true) });
}
