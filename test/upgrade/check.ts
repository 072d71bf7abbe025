import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { announcements, describeUpgrade, isAnnounced, malformed, type Upgrade, upgrades } from './announced';
import { STORED, templatesOf, unpackStored } from './stored';

/**
 * Holds the templates of deployments and catalogs against those of the stored code: what an upgrade would replace,
 * restart or delete has to be announced. One test per stored template.
 *
 * @param assemblies the folder of the synthesized app by the name of the deployment
 * @param scratch a folder for the unpacked templates
 */
export function checkUpgrade(
  assemblies: Readonly<Record<string, string>>,
  scratch: string,
): { passed: number; failed: number } {
  rmSync(scratch, { recursive: true, force: true });
  unpackStored(scratch);
  const all = announcements();
  const wrong = malformed(all);
  for (const text of wrong) console.log(`WRONG test/upgrade/announced.yaml: ${text}`);

  let files = 0;
  const found: Upgrade[] = [];
  for (const [name, assembly] of Object.entries(assemblies)) {
    const folder = join(scratch, name);
    if (!existsSync(folder)) {
      console.log(`${name} is newer than the stored code: nobody upgrades it`);
      continue;
    }
    const before = templatesOf(folder);
    files += Object.keys(before).length;
    found.push(...upgrades(before, templatesOf(assembly)));
  }
  const open = found.filter((each) => !all.some((announced) => isAnnounced(each, announced)));
  for (const each of open) {
    console.log(
      `UPGRADE from ${STORED}: ${describeUpgrade(each)}. Undo it, or decide it in docs/adr and announce it in ` +
        'test/upgrade/announced.yaml',
    );
  }
  const unused = all.filter((announced) => !found.some((each) => isAnnounced(each, announced)));
  for (const { effect, type } of unused)
    console.log(
      `UNUSED test/upgrade/announced.yaml: no update ${effect} ${type} any more: take the entry out`,
    );
  const failing = new Set(open.map(({ file }) => file)).size;
  return { passed: files - failing, failed: failing + wrong.length + unused.length };
}
