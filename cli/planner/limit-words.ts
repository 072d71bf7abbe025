import type { Limit, LimitName } from '../../constructs/sizing/plan';

/** What a limit is called: in a narrow column, and where there is room. */
const WORDS: { readonly [name in LimitName]: readonly [short: string, long: string] } = {
  devices: ['disks', 'disks'],
  volumes: ['volumes', 'volumes'],
  'ebs-bandwidth': ['EBS bandwidth', 'EBS bandwidth'],
  'shared-interface': ['shared interface', 'interface that EBS and clients share'],
  'server-network': ['server network', 'network of the servers'],
  'client-network': ['node network', 'network of the nodes'],
  'client-limit': ['EFS client', 'what EFS lets each node have'],
  provisioned: ['as bought', 'what was bought'],
};

/** For a column of a terminal. */
export const limitInShort = ({ name }: Limit): string => WORDS[name][0];

/** For a table of the page. */
export const limitInWords = ({ name }: Limit): string => WORDS[name][1];
