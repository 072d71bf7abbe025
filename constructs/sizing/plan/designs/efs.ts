import { EFS_CLIENT, EFS_METERING } from '../../data/throughput-rules';
import { EFS } from '../../managed-file-systems';
import type { DesignRule } from '../design';
import { mbpsText, thousands } from '../text';

const MIB_IN_MB = 1.048576;

/** Amazon EFS with provisioned throughput. A byte that is read counts as a third of one that is written. */
export const EFS_RULE: DesignRule = {
  id: 'efs',
  title: 'Amazon EFS, provisioned throughput',
  durability: 'region',
  availability: 'multi-zone',
  recovery: 'Nothing is to be recovered: EFS is served from several zones.',
  overNetwork: true,
  choose: (need, book) => {
    const ofClients = need.nodes * EFS_CLIENT.mibps * MIB_IN_MB;
    if (need.sharedMBps > ofClients) {
      return (
        `EFS lets a client have ${EFS_CLIENT.mibps} MiB/s: ${mbpsText(ofClients)} for ${need.nodes} ` +
        `${need.nodes === 1 ? 'node' : 'nodes'}; ${mbpsText(need.sharedMBps)} are wanted.`
      );
    }
    const metered = need.sharedMBps * (1 - need.readShare + need.readShare / EFS_METERING.readsForOneWrite);
    const { min, max } = EFS.provisionedMiBps;
    const mibps = Math.max(min, Math.ceil(metered / MIB_IN_MB - 1e-9));
    if (mibps > max) {
      return `${mbpsText(need.sharedMBps)} are metered as ${thousands(mibps)} MiB/s; the default quota is ${max}.`;
    }
    const price = book.managed.efs;
    const billed = price && Math.max(0, mibps - need.capacityGiB * price.includedMBpsPerGB);
    return {
      storage: { kind: 'efs', servers: 0, devices: [], provisionedMBps: mibps * MIB_IN_MB },
      managed: `provisioned, ${mibps} MiB/s`,
      items: [
        { what: `${need.capacityGiB} GiB stored`, usd: price && need.capacityGiB * price.gbMonth },
        {
          what: `${mibps} MiB/s, less what the data brings with it`,
          usd: price && billed! * price.mbpsMonth,
        },
      ],
      capacityGiB: need.capacityGiB,
    };
  },
};
