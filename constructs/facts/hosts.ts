import type { Fact } from '../sizing/facts';

/** From this version on Systems Manager serves an agent by `ssmmessages` alone. */
export const SSM_AGENT_MINIMUM: Fact<string> = {
  value: '3.3.3598.0',
  unit: 'oldest version of the SSM Agent that Run Command serves without ec2messages',
  source: {
    title:
      'A summary by a third party; another one names 3.3.40.0 (modernisation-platform#13918). AWS: none found',
    reference: 'https://github.com/ministryofjustice/modernisation-platform/issues/13918',
    checked: '2026-11-25',
    review: '2027-01-25',
    unverified: true,
  },
};

/** Where an instance asks about itself. */
export const METADATA_ADDRESS: Fact<string> = {
  value: '169.254.169.254',
  unit: 'address of the instance metadata service',
  source: {
    title: 'Amazon EC2 User Guide, Access instance metadata for an EC2 instance',
    reference: 'https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/instancedata-data-retrieval.html',
    checked: '2026-11-22',
  },
  writtenIn: [
    'constructs/host/lib/distro.sh',
    'constructs/host/lib/signed.py',
    'constructs/machine-image/scripts/lib/store.py',
    'constructs/storage-benchmark/programs/common/host.sh',
  ],
};

/** Where a host gets an SSM Agent that its image lacks. */
export const SSM_AGENT_BUCKET: Fact<string> = {
  value: 'amazon-ssm-$region/latest/',
  unit: 'bucket and folder of the SSM Agent',
  source: {
    title: 'AWS Systems Manager User Guide, Manually installing SSM Agent on EC2 instances for Linux',
    reference: 'https://docs.aws.amazon.com/systems-manager/latest/userguide/agent-install-rhel-8-9.html',
    checked: '2026-11-22',
  },
  writtenIn: ['constructs/host/lib/distro.sh'],
};

/** How SAS names the directories of a session on UNIX. */
export const SAS_SESSION_DIRECTORY: Fact<string> = {
  value: 'SAS_(work|util)[0-9A-Fa-f]{4,6}([0-9A-Fa-f]{8})_',
  unit: 'regular expression: a random number, the process in eight hexadecimal digits; the host follows',
  source: {
    title:
      'SAS Usage Note 10011, Unix WORK subdirectory names: four random digits; up to six for z/OS: SAS 9.4 ' +
      'Companion for z/OS, cleanwork',
    reference: 'https://support.sas.com/kb/10/011.html',
    checked: '2026-11-26',
  },
  writtenIn: ['constructs/host/documents/clean-scratch.sh'],
};
