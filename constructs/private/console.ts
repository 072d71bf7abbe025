/** Where the AWS Management Console is, by partition. */
export const CONSOLE_DOMAINS: Readonly<Record<string, string>> = {
  aws: 'console.aws.amazon.com',
  'aws-cn': 'console.amazonaws.cn',
  'aws-us-gov': 'console.amazonaws-us-gov.com',
};

/** The AWS Management Console of a region; undefined where it is not known, in isolated regions for example. */
export function consoleHost(region: string): string | undefined {
  if (!/^[a-z]{2}(-[a-z]+)+-\d+$/.test(region) || /-iso/.test(region)) return undefined;
  if (region.startsWith('cn-')) return CONSOLE_DOMAINS['aws-cn'];
  if (region.startsWith('us-gov-')) return `${region}.${CONSOLE_DOMAINS['aws-us-gov']}`;
  if (region.startsWith('eusc-')) return undefined;
  return `${region}.${CONSOLE_DOMAINS.aws}`;
}
