import { count } from '../../cli/terminal';
import type { Check } from '../../proof/kit/model';
import { PROTECTED } from './announced';
import type { Estate, Happened } from './estate';

/** What must hold after the upgrade of a deployment. */
export function verifyUpgrade(
  before: Estate,
  after: Estate,
  happened: Happened,
  mayRestart: boolean,
): Check[] {
  const kept = Object.entries(before.resources).filter(([, { type }]) => PROTECTED.includes(type));
  const hosts = new Set(
    Object.values(before.resources)
      .filter(({ type }) => type === 'AWS::EC2::Instance')
      .map(({ physicalId }) => physicalId),
  );
  const stopped = happened.stopped.filter((id) => !(mayRestart && hosts.has(id)));
  return [
    check(
      'resources-kept',
      'Every volume, interface, table, key, group and zone is the one that was deployed',
      kept.length > 0 ? [] : ['there was nothing to keep'],
      kept.flatMap(([name, { physicalId }]) => {
        const now = after.resources[name]?.physicalId;
        return now === physicalId ? [] : [`${name}: ${physicalId} became ${now ?? 'nothing'}`];
      }),
      count(kept.length, 'resource'),
    ),
    check(
      'data-kept',
      'The data on the volumes is the one that was there, and nothing was formatted',
      happened.formatted.map((id) => `${id} was formatted`),
      Object.entries(before.superblocks)
        .filter(([id, { uuid }]) => after.superblocks[id]?.uuid !== uuid)
        .map(([id, { uuid }]) => `${id}: ${uuid} became ${after.superblocks[id]?.uuid ?? 'nothing'}`),
      count(Object.keys(before.superblocks).length, 'file system'),
    ),
    check(
      'nothing-moved',
      'No volume or interface was attached or detached',
      happened.moved.map((id) => `${id} was moved`),
    ),
    check(
      'no-server-lost',
      'No server was terminated',
      happened.terminated.map((id) => `${id} was terminated`),
    ),
    check(
      'no-restart',
      mayRestart
        ? 'No host was stopped but those whose restart was announced'
        : 'No host was stopped, since no restart was announced',
      stopped.map((id) => `${id} was stopped`),
      [],
      mayRestart ? count(happened.stopped.length, 'announced restart') : 'none',
    ),
  ];
}

/** Every slot must be served, by a running server, as it was before. */
export const servedCheck = (faults: string[]): Check =>
  check('slots-served', 'Every slot is served by a running server', faults, [], 'all of them');

function check(id: string, title: string, first: string[], second: string[] = [], detail = 'none'): Check {
  const faults = [...first, ...second];
  return { id, title, passed: faults.length === 0, detail: faults.length > 0 ? faults.join('; ') : detail };
}
