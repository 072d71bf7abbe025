import type { Template } from 'aws-cdk-lib/assertions';

type Value = { [key: string]: unknown } | string | unknown[];

/** The user data of every launch template and instance, as text; references stand as `${...}`. */
export function userDataTexts(template: Template): string[] {
  const templates = Object.values(template.findResources('AWS::EC2::LaunchTemplate'));
  const instances = Object.values(template.findResources('AWS::EC2::Instance'));
  return [
    ...templates.map(({ Properties }) => Properties.LaunchTemplateData.UserData),
    ...instances.map(({ Properties }) => Properties.UserData),
  ]
    .filter((value) => value !== undefined)
    .map((value) => flat(value['Fn::Base64']));
}

/** The settings that the first host with a role gets. */
export function settingsOf(hosts: string[], role: string): { [key: string]: string } {
  const pattern = new RegExp(`/etc/sas-grid/${role}\\.env[^\\n]*\\n([\\s\\S]*?)\\nEND`);
  for (const host of hosts) {
    const found = pattern.exec(host);
    if (found) return Object.fromEntries(found[1]!.split('\n').map((line) => split(line)));
  }
  throw new Error(`No host has the role ${role}`);
}

function split(line: string): [string, string] {
  const at = line.indexOf('=');
  return [line.slice(0, at), line.slice(at + 1)];
}

function flat(value: Value): string {
  if (typeof value === 'string') return value;
  if (!Array.isArray(value) && Array.isArray(value['Fn::Join'])) {
    const [separator, parts] = value['Fn::Join'] as [string, Value[]];
    return parts.map(flat).join(separator);
  }
  return `\${${JSON.stringify(value)}}`;
}
