/**
 * Shows how long the user data of a deployment's hosts is, after `make synth`:
 *   npx tsx scripts/user-data-sizes.ts [FOLDER]
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Resource {
  readonly Type: string;
  readonly Properties?: {
    readonly UserData?: unknown;
    readonly LaunchTemplateData?: { readonly UserData?: unknown };
  };
}

/** The text of user data; what is known at deployment only counts with its reference. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  const [name, inner] = Object.entries(value as object)[0]!;
  if (name === 'Fn::Base64') return textOf(inner);
  if (name === 'Fn::Join') return (inner[1] as unknown[]).map(textOf).join(inner[0]);
  return `\${${typeof inner === 'string' ? inner : JSON.stringify(inner)}}`;
}

const folder = process.argv[2] ?? 'cdk.out';
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
  file.endsWith('.template.json'),
);
for (const file of files.sort()) {
  const { Resources = {} } = JSON.parse(readFileSync(join(folder, file), 'utf8')) as {
    Resources?: { readonly [id: string]: Resource };
  };
  for (const [id, { Properties }] of Object.entries(Resources)) {
    const userData = Properties?.UserData ?? Properties?.LaunchTemplateData?.UserData;
    if (userData === undefined) continue;
    console.log(`${String(Buffer.byteLength(textOf(userData))).padStart(6)}  ${file.split('.')[0]} ${id}`);
  }
}
