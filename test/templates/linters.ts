/**
 * Has cfn-lint and checkov look at the templates of all reference deployments and catalogs. Their findings are mended,
 * or acknowledged in acknowledged.yaml.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { parse } from 'yaml';
import { OUT, ROOT, start, synthesizeAll, timed } from './assemblies';
import {
  type Acknowledgement,
  deploymentOf,
  type Finding,
  judge,
  malformed,
  resourceOf,
  type Templates,
} from './findings';
import { TOOLS, type Tool } from './tools';

const ACKNOWLEDGED = join(relative(ROOT, __dirname), 'acknowledged.yaml');
const CANARY = join(relative(ROOT, __dirname), 'canary.template.json');

/** A tool's findings in the templates. That it finds the canary shows that it looked. */
function findings(tool: Tool, files: readonly string[]): Finding[] {
  const all = timed(tool.name, () => tool.check([...files, CANARY]));
  if (!all.some(({ file, rule }) => file === CANARY && rule === tool.canary)) {
    throw new Error(`${tool.name} does not find ${tool.canary} in ${CANARY}: what else does it not find?`);
  }
  return all.filter(({ file }) => file !== CANARY);
}

function describe(finding: Finding, templates: Templates): string {
  const { tool, rule, message, file, logicalId } = finding;
  const resource = logicalId
    ? `${logicalId} [${resourceOf(finding, templates) ?? 'unknown'}]`
    : 'the template';
  return `FOUND ${deploymentOf(file)}: ${basename(file)}: ${resource}: ${tool} ${rule}: ${message}`;
}

function main(): number {
  const { templates } = synthesizeAll();
  const files = Object.keys(templates);
  const acknowledgements = parse(readFileSync(ACKNOWLEDGED, 'utf8')) as Acknowledgement[];
  const wrong = malformed(acknowledgements);
  const all = TOOLS.flatMap((tool) => findings(tool, files));
  const { open, acknowledged, unused } = judge(all, wrong.length > 0 ? [] : acknowledgements, templates);

  for (const finding of open) console.log(describe(finding, templates));
  for (const text of wrong) console.log(`WRONG ${ACKNOWLEDGED}: ${text}`);
  for (const { rule, resource } of unused) {
    console.log(
      `UNUSED ${ACKNOWLEDGED}: nothing has finding ${rule} at '${resource}' any more: take the line out`,
    );
  }
  if (open.length > 0) {
    console.log(
      `Mend what was found; if it is right as it is, say why in ${ACKNOWLEDGED}, for its resource only.`,
    );
  }
  const failed = open.length + wrong.length + unused.length;
  // One test per template and tool.
  const passed = TOOLS.length * files.length - new Set(open.map(({ tool, file }) => tool + file)).size;
  writeFileSync(join(OUT, 'template-linters.json'), JSON.stringify({ passed, failed }));
  console.log(`${files.length} templates; ${acknowledged.length} findings acknowledged, ${open.length} open`);
  return failed > 0 ? 1 : 0;
}

start(main);
