/** Builds the planner's page: one file with everything in it, which works from the file system, and opens it. */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';

const ROOT = resolve(__dirname, '..', '..');
const PAGE = join(ROOT, 'cli', 'planner', 'page');

const USAGE = `Builds the storage planner's page and opens it.

  npx tsx cli/planner/build.ts [--out out/planner/index.html] [--no-open]

  --out      the file that is written
  --no-open  does not open it; without a desktop it is not opened either`;

async function main(): Promise<number> {
  let options: { out: string; open: boolean; help: boolean };
  try {
    options = parseOptions(process.argv.slice(2));
  } catch (error) {
    console.error(`${(error as Error).message}\nUse --help to see the options.`);
    return 2;
  }
  if (options.help) {
    console.log(USAGE);
    return 0;
  }
  const file = resolve(options.out);
  mkdirSync(dirname(file), { recursive: true });
  const page = await pageHtml();
  writeFileSync(file, page);
  console.log(`${file} (${Math.round(Buffer.byteLength(page) / 1000)} kB)`);
  if (options.open) openInBrowser(file);
  return 0;
}

function parseOptions(args: string[]) {
  const { values } = parseArgs({
    args,
    options: {
      out: { type: 'string', default: join(ROOT, 'out', 'planner', 'index.html') },
      'no-open': { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  return { out: values.out, open: !values['no-open'], help: values.help };
}

async function pageHtml(): Promise<string> {
  const [script, style] = [await bundle('main.ts'), await bundle('style.css')];
  const hash = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
  // Whatever is wrong with the page, it runs and asks for nothing but what is in it.
  const policy =
    `default-src 'none'; script-src ${hash(script)}; style-src ${hash(style)}; img-src data:; base-uri 'none'; ` +
    "form-action 'none'";
  const parts: { readonly [marker: string]: string } = {
    '<!-- policy -->': `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
    '<!-- style -->': `<style>${style}</style>`,
    '<!-- script -->': `<script>${script}</script>`,
  };
  let html = readFileSync(join(PAGE, 'index.html'), 'utf8');
  for (const [marker, part] of Object.entries(parts)) html = html.replace(marker, () => part);
  return html;
}

async function bundle(file: string): Promise<string> {
  const { outputFiles, metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: [join(PAGE, file)],
    bundle: true,
    write: false,
    minify: true,
    format: 'iife',
    target: ['chrome111', 'firefox113', 'safari16.4'],
    legalComments: 'none',
    metafile: true,
    logLevel: 'warning',
  });
  return `/*!\n${licences(Object.keys(metafile.inputs))}\n*/\n${outputFiles[0]!.text.trim()}`;
}

/** What the licences of what is bundled want to be kept with it: each text once, most packages have the same. */
function licences(files: readonly string[]): string {
  const folders = files.flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? []);
  const packagesOf = new Map<string, string[]>();
  for (const folder of [...new Set(folders)].sort()) {
    const file = readdirSync(join(ROOT, folder)).find((one) => /^licen[cs]e/i.test(one));
    if (!file) throw new Error(`${folder} is bundled and has no licence file`);
    const text = readFileSync(join(ROOT, folder, file), 'utf8').trim();
    packagesOf.set(text, [...(packagesOf.get(text) ?? []), folder.replace(/^.*node_modules\//, '')]);
  }
  return [...packagesOf].map(([text, packages]) => `${packages.join(', ')}\n\n${text}`).join('\n\n');
}

/** Shows a file in the browser where there is a desktop. */
function openInBrowser(file: string): void {
  const desktop = process.env.DISPLAY || process.env.WAYLAND_DISPLAY;
  const command = process.platform === 'darwin' ? 'open' : desktop ? 'xdg-open' : undefined;
  if (!command) return;
  const child = spawn(command, [file], { stdio: 'ignore', detached: true });
  child.on('error', () => console.log(`'${command}' is not here: open the file in a browser.`));
  child.unref();
}

main().then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    console.error(error);
    process.exitCode = 1;
  },
);
