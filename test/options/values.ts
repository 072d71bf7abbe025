/** What a key is given. */
export interface Choice {
  /** With the key switched on. Where the reference deployment has the key, its own value is this. */
  readonly on: unknown;
  /** Another value; of a boolean the other one. */
  readonly changed?: unknown;
  /** What the file has besides, whether or not it has this key: the key means nothing alone. */
  readonly beside?: Readonly<Record<string, unknown>>;
  /** What the key takes the place of. */
  readonly insteadOf?: readonly string[];
  /** Whether something of the kind has to be there: it can be changed, and not be switched off. */
  readonly needed?: boolean;
  /** Whether no other key is switched with it. */
  readonly alone?: boolean;
  /** The deployments that it is for; otherwise those that have its section. */
  readonly only?: readonly string[];
}

type Choices = Readonly<Record<string, Choice>>;

export const AMI = 'ami-0123456789abcdef0';
const OTHER_AMI = 'ami-0fedcba9876543210';
const SSM = '/aws/service/ami-amazon-linux-latest/al2023-ami-minimal-kernel-default-x86_64';
export const KEY = 'arn:aws:kms:us-east-1:111122223333:key/11111111-2222-3333-4444-555555555555';
export const OTHER_KEY = 'arn:aws:kms:us-east-1:111122223333:key/66666666-7777-8888-9999-000000000000';
export const ZONE = { id: 'Z0123456789ABC', name: 'corp.example.com' };
/** Two zones may have one name. */
export const TWIN_ZONE = { id: 'Z0000000000TWIN', name: ZONE.name };
export const OTHER_ZONE = { id: 'Z9876543210CBA', name: 'other.example.com' };
const REPOSITORY = { kind: 'repository', url: 'https://mirror.example.com/lustre', version: '2.15.5' };

const RESERVED = { on: 'cr-0123456789abcdef0', changed: 'cr-0fedcba9876543210' };
const FALLBACK = { on: ['m6idn.16xlarge'], changed: ['m6idn.16xlarge', 'c6in.16xlarge'] };

const under = (parent: string, choices: Choices): Choices =>
  Object.fromEntries(Object.entries(choices).map(([key, choice]) => [`${parent}.${key}`, choice]));

const image = (parent: string, beside: Choice['beside'] = {}): Choices =>
  under(parent, {
    image: { on: { amiId: AMI }, changed: { ssmParameter: SSM }, beside },
    'image.amiId': { on: AMI, changed: OTHER_AMI, beside },
    'image.ssmParameter': { on: SSM, changed: '/mine/image', beside },
  });

/** Built in the account: what is asked for stays the same, whatever the build is. */
const imageBuild = (parent: string, more: Choices = {}, only?: readonly string[]): Choices => {
  const beside = { [`${parent}.image`]: { build: {} } };
  const all: Choices = {
    'image.build': { on: {}, changed: { baseAmiId: AMI } },
    'image.build.baseAmiId': { on: AMI, changed: OTHER_AMI },
    'image.build.rebuildSchedule': { on: 'cron(0 3 1 * ? *)', changed: 'rate(30 days)' },
    ...more,
  };
  return under(
    parent,
    Object.fromEntries(Object.entries(all).map(([key, choice]) => [key, { ...choice, beside, only }])),
  );
};

const LUSTRE_BUILD: Choices = { 'image.build.lustreVersion': { on: '2.17.0', changed: '2.16.1' } };
const NODE_BUILD: Choices = {
  ...LUSTRE_BUILD,
  'image.build.ownComponent': { on: 's3://depot/sas.yml', changed: 's3://depot/sas94.yml' },
};

const software = (parent: string): Choices => {
  const beside = { [`${parent}.software`]: REPOSITORY };
  return under(parent, {
    software: { on: REPOSITORY, changed: { kind: 'preinstalled' } },
    'software.url': { on: REPOSITORY.url, changed: 'https://other.example.com/lustre', beside },
    'software.version': { on: REPOSITORY.version, changed: '2.15.6', beside },
    'software.keyUrl': { on: `${REPOSITORY.url}/key`, changed: `${REPOSITORY.url}/key2`, beside },
    'software.debianSuite': { on: 'jammy main', changed: 'noble main', beside },
  });
};

const volume = (parent: string, gp3: object): Choices => {
  const beside = { [`${parent}.volume`]: { ...gp3, iops: 6000, throughputMiBps: 500 } };
  return under(parent, {
    volume: { on: gp3, changed: { ...gp3, type: 'io2', iops: 8000 } },
    'volume.type': { on: 'gp3', changed: 'io2', beside: { [`${parent}.volume`]: { ...gp3, iops: 6000 } } },
    'volume.sizeGiB': { on: 5000, changed: 8000, beside },
    'volume.iops': { on: 6000, changed: 8000, beside },
    'volume.throughputMiBps': { on: 500, changed: 750, beside },
  });
};

const scratch = (parent: string, beside: Choice['beside'] = {}): Choices =>
  under(parent, {
    scratch: { on: { fileSystem: 'ext4' }, changed: { chunkKiB: 256 }, beside },
    'scratch.enabled': { alone: true, on: false, beside },
    'scratch.saswork': {
      on: 70,
      changed: 60,
      beside: { ...beside, [`${parent}.scratch`]: { utilloc: 30 } },
      needed: true,
    },
    'scratch.utilloc': {
      on: 30,
      changed: 40,
      beside: { ...beside, [`${parent}.scratch`]: { saswork: 70 } },
      needed: true,
    },
    'scratch.fileSystem': { on: 'ext4', changed: 'xfs', beside },
    'scratch.chunkKiB': { on: 256, changed: 512, beside },
    'scratch.readAheadKiB': { on: 4096, changed: 8192, beside },
  });

/** What the hosts of a grid are, whatever its file system. */
const hosts = (parent: string, beside: Choice['beside'] = {}): Choices => ({
  ...image(parent),
  ...(parent === 'grid' ? imageBuild(parent, NODE_BUILD) : {}),
  ...scratch(parent, beside),
  ...under(parent, {
    mountPoint: { on: '/sasdata', changed: '/data' },
    sasUid: { on: 6000, changed: 6001 },
    sasGid: { on: 6000, changed: 6001 },
    additionalPorts: { on: [8591], changed: [8592, 8593] },
  }),
});

interface Tier {
  readonly types: readonly [string, string];
  readonly gp3: object;
  readonly volumes: number;
  readonly servers: number;
  /** The last byte of an address of the private subnet. */
  readonly address: number;
}

const tier = (name: string, { types, gp3, volumes, servers, address }: Tier): Choices => {
  const ids = (digit: string) =>
    Array.from(
      { length: volumes * servers },
      (_, index) => `vol-${digit.repeat(8)}${String(index).padStart(9, '0')}`,
    );
  const addresses = (from: number) =>
    Array.from({ length: servers }, (_, index) => `172.16.4.${from + index}`);
  return {
    [`storage.${name}`]: { on: { hotSpares: 1 }, changed: { hotSpares: 0 } },
    ...volume(`storage.${name}`, gp3),
    ...under(`storage.${name}`, {
      instanceType: { on: types[0], changed: types[1] },
      volumesPerServer: { on: volumes, changed: servers > 1 ? volumes + 1 : volumes },
      hotSpares: { on: 1, changed: 0 },
      capacityReservation: RESERVED,
      fallbackInstanceTypes: FALLBACK,
      existingVolumes: { on: ids('1'), changed: ids('2') },
      addresses: { on: addresses(address), changed: addresses(address + 40) },
    }),
  };
};

const ofNetwork: Choices = under('network', {
  vpcCidr: { on: '172.16.0.0/20', changed: '172.16.0.0/19' },
  publicSubnetCidr: { on: '172.16.0.0/22', changed: '172.16.0.0/23' },
  privateSubnetCidr: { on: '172.16.4.0/24', changed: '172.16.8.0/24' },
  availabilityZone: { on: 'us-east-1a', changed: 'us-east-1b' },
  nat: { on: 'instance', changed: 'none' },
  natInstanceType: { on: 't3.small', changed: 't3.medium', beside: { 'network.nat': 'instance' } },
  natLaunchTemplateName: { on: 'my-nat', changed: 'other-nat', beside: { 'network.nat': 'instance' } },
  natAmiId: { on: AMI, changed: OTHER_AMI, beside: { 'network.nat': 'instance' } },
  interfaceEndpoints: { on: true, alone: true },
  separatePlacementGroups: { on: true, alone: true },
  webAccessFrom: { on: ['10.0.0.0/16'], changed: ['10.1.0.0/16', '10.2.0.0/16'] },
  sshAccessFrom: { on: ['10.0.0.0/16'], changed: ['10.1.0.0/16', '10.2.0.0/16'] },
});

const ofExistingNetwork: Choices = under('existingNetwork', {
  vpcId: { on: 'vpc-0123456789abcdef0', changed: 'vpc-0fedcba9876543210' },
  subnetId: { on: 'subnet-0123456789abcdef0', changed: 'subnet-0fedcba9876543210' },
  availabilityZone: { on: 'us-east-1a', changed: 'us-east-1b' },
  securityGroupId: { on: 'sg-0123456789abcdef0', changed: 'sg-0fedcba9876543210' },
  placementGroup: { on: 'mine', changed: 'other' },
});

const restored = (set: string, count: number) => ({
  set,
  snapshots: Array.from(
    { length: count },
    (_, index) => `snap-${set.repeat(8)}${String(index).padStart(9, '0')}`,
  ),
});

/** What a set is laid into; another one later is refused. */
const restoreFrom = (key: string, count: number, more: Partial<Choice> = {}): Choices => {
  const [one, other] = [restored('1', count), restored('2', count)];
  const beside = { ...more.beside, [key]: one };
  return {
    [key]: { on: one, changed: other, ...more },
    [`${key}.set`]: { on: one.set, changed: other.set, ...more, beside, needed: true },
    [`${key}.snapshots`]: { on: one.snapshots, changed: other.snapshots, ...more, beside, needed: true },
  };
};

/** A file system takes the place of another one. */
const insteadOfNfs = { only: ['sas-grid-nfs'], insteadOf: ['nfs', 'gameDay'] };

const CRON = { schedule: 'cron(0 2 * * ? *)', timeZone: 'Europe/Berlin' };
const BACKUP = { 'operations.backup': CRON };
const COPY_TO = { region: 'us-west-2' };
const COPIED = { 'operations.backup': { ...CRON, copyTo: COPY_TO } };
/** FSx's backups are no snapshots of volumes; what else nfs-storage-server is switched to has none either. */
const WITH_SNAPSHOTS = [
  ...['sas-grid-lustre', 'sas-grid-lustre-2015', 'sas-grid-nfs'],
  ...['sas-server-io2', 'sas-grid-gfs2'],
];
const COPY_KEY = 'arn:aws:kms:us-west-2:444455556666:key/11111111-2222-3333-4444-555555555555';

const ofBackup: Choices = {
  'operations.backup': { on: CRON, changed: { ...CRON, schedule: 'cron(0 3 * * ? *)' } },
  ...under('operations.backup', {
    schedule: { on: CRON.schedule, changed: 'cron(0 3 * * ? *)', beside: BACKUP, needed: true },
    timeZone: { on: CRON.timeZone, changed: 'UTC', beside: BACKUP, needed: true },
    keep: { on: 7, changed: 30, beside: BACKUP },
    alarmAfterHours: { on: 30, changed: 60, beside: BACKUP },
    copyTo: { on: COPY_TO, changed: { region: 'eu-west-1' }, beside: BACKUP, only: WITH_SNAPSHOTS },
  }),
  ...under('operations.backup.copyTo', {
    region: { on: COPY_TO.region, changed: 'eu-west-1', beside: COPIED, needed: true, only: WITH_SNAPSHOTS },
    roleArn: {
      on: 'arn:aws:iam::444455556666:role/copies',
      changed: 'arn:aws:iam::444455556666:role/others',
      beside: COPIED,
      only: WITH_SNAPSHOTS,
    },
    kmsKeyArn: {
      on: COPY_KEY,
      changed: COPY_KEY.replace('1111', '9999'),
      beside: COPIED,
      only: WITH_SNAPSHOTS,
    },
    alarmAfterHours: { on: 80, changed: 90, beside: COPIED, only: WITH_SNAPSHOTS },
  }),
};

const ofStorage: Choices = {
  storage: {
    on: { preset: 'current', fileSystemName: 'sasfs' },
    changed: { preset: 'current', fileSystemName: 'other' },
    ...insteadOfNfs,
  },
  ...tier('mgs', {
    types: ['m6in.large', 'm6in.xlarge'],
    gp3: { type: 'gp3', sizeGiB: 100 },
    volumes: 1,
    servers: 1,
    address: 90,
  }),
  ...tier('mds', {
    types: ['r6in.2xlarge', 'r6in.4xlarge'],
    gp3: { type: 'gp3', sizeGiB: 1000 },
    volumes: 1,
    servers: 1,
    address: 91,
  }),
  ...tier('oss', {
    types: ['m6in.4xlarge', 'm6in.8xlarge'],
    gp3: { type: 'gp3', sizeGiB: 1500 },
    volumes: 8,
    servers: 3,
    address: 92,
  }),
  ...image('storage'),
  ...imageBuild('storage', LUSTRE_BUILD),
  ...software('storage'),
  ...under('storage', {
    preset: { on: 'current', changed: 'papers-2015' },
    fileSystemName: { on: 'sasfs', changed: 'other' },
    'oss.count': { on: 3, changed: 4 },
    backend: { on: 'zfs', changed: 'ldiskfs' },
    stripeCount: { on: 2, changed: 4 },
    stripeSizeMiB: { on: 2, changed: 4 },
    encryptionKeyArn: { on: KEY, changed: OTHER_KEY },
    monitoring: { on: { enabled: false }, changed: { enabled: true } },
    'monitoring.enabled': { on: false },
    'monitoring.certificateArn': {
      on: 'arn:aws:acm:us-east-1:111122223333:certificate/11111111-2222-3333-4444-555555555555',
      changed: 'arn:aws:acm:us-east-1:111122223333:certificate/66666666-7777-8888-9999-000000000000',
    },
    recoveryTimeoutMinutes: { on: 30, changed: 60 },
  }),
};

const ofFsx: Choices = {
  fsxLustre: {
    on: { ssd: { capacityGiB: 9600, throughputPerTiB: 500 }, software: { kind: 'distribution' } },
    changed: { ssd: { capacityGiB: 9600, throughputPerTiB: 500 }, backupRetentionDays: 7 },
    ...insteadOfNfs,
  },
  ...software('fsxLustre'),
  ...under('fsxLustre', {
    ssd: {
      on: { capacityGiB: 9600, throughputPerTiB: 500 },
      changed: { capacityGiB: 12_000, throughputPerTiB: 500 },
      needed: true,
    },
    'ssd.capacityGiB': { on: 9600, changed: 12_000 },
    'ssd.throughputPerTiB': { on: 500, changed: 1000 },
    'ssd.metadataIops': { on: 12_000, changed: 24_000 },
    intelligentTiering: {
      on: { throughputMBps: 4000 },
      changed: { throughputMBps: 8000 },
      insteadOf: ['fsxLustre.ssd'],
    },
    'intelligentTiering.throughputMBps': { on: 4000, changed: 8000, insteadOf: ['fsxLustre.ssd'] },
    'intelligentTiering.metadataIops': {
      on: 6000,
      changed: 12_000,
      beside: { 'fsxLustre.intelligentTiering': { throughputMBps: 4000 }, 'fsxLustre.ssd': undefined },
    },
    backupRetentionDays: { on: 7, changed: 0, beside: { 'fsxLustre.copyTagsToBackups': true } },
    copyTagsToBackups: { on: false },
    weeklyMaintenanceStart: { on: '7:03:00', changed: '1:04:30' },
    restoreFrom: { on: 'backup-0123456789abcdef0', changed: 'backup-fedcba98765432100' },
    encryptionKeyArn: { on: KEY, changed: OTHER_KEY },
  }),
};

const WITHOUT_EBS = ['nfs.ebs', 'gameDay'];
const INSTANCE_STORE = { dataLossAcceptableBecause: 'It is scratch space, made anew each night' };
const onInstanceStore = { 'nfs.instanceStore': INSTANCE_STORE, 'nfs.ebs': undefined, gameDay: undefined };

const ofNfs: Choices = {
  nfs: { on: { ebs: { preset: 'Medium-5TB' } }, changed: { ebs: { preset: 'Large-10TB' } }, needed: true },
  ...volume('nfs.ebs', { type: 'gp3', sizeGiB: 5000 }),
  ...image('nfs'),
  // There has to be a network to build in.
  ...imageBuild('nfs', {}, ['sas-grid-nfs']),
  ...under('nfs', {
    ebs: { on: { preset: 'Medium-5TB' }, changed: { preset: 'Large-10TB' }, needed: true },
    'ebs.preset': { on: 'Medium-5TB', changed: 'Large-10TB' },
    'ebs.papers': { on: true },
    'ebs.volumeCount': { on: 2, changed: 3, beside: { 'nfs.ebs.volume': { type: 'gp3', sizeGiB: 5000 } } },
    'ebs.throughputMBps': { on: 1000, changed: 1500 },
    'ebs.instanceType': { on: 'm6in.4xlarge', changed: 'm6in.8xlarge' },
    'ebs.hotSpares': { on: 1, changed: 0 },
    'ebs.fallbackInstanceTypes': FALLBACK,
    capacityReservation: RESERVED,
    'ebs.existingVolumes': {
      on: ['vol-1111111111111'],
      changed: ['vol-2222222222222'],
      beside: { 'nfs.ebs.volumeCount': undefined, 'nfs.ebs.throughputMBps': undefined },
    },
    'ebs.backup': {
      on: { everyHours: 24, retentionDays: 14 },
      changed: { everyHours: 12, retentionDays: 30 },
    },
    'ebs.backup.everyHours': { on: 24, changed: 12, beside: { 'nfs.ebs.backup': {} } },
    'ebs.backup.startTime': { on: '01:00', changed: '02:00', beside: { 'nfs.ebs.backup': {} } },
    'ebs.backup.retentionDays': { on: 14, changed: 30, beside: { 'nfs.ebs.backup': {} } },
    'ebs.recoveryTimeoutMinutes': { on: 30, changed: 60 },
    instanceStore: {
      on: INSTANCE_STORE,
      changed: { ...INSTANCE_STORE, capacityGiB: 3000 },
      insteadOf: WITHOUT_EBS,
    },
    'instanceStore.dataLossAcceptableBecause': {
      on: INSTANCE_STORE.dataLossAcceptableBecause,
      changed: 'It is a copy, and made anew from its source each night',
      insteadOf: WITHOUT_EBS,
    },
    'instanceStore.instanceType': { on: 'i4i.4xlarge', changed: 'i4i.8xlarge', beside: onInstanceStore },
    'instanceStore.capacityGiB': { on: 1500, changed: 3000, beside: onInstanceStore },
    'instanceStore.throughputMBps': { on: 500, changed: 1000, beside: onInstanceStore },
    'instanceStore.spot': { on: {}, changed: { maxPriceUsd: 2 }, beside: onInstanceStore },
    'instanceStore.spot.maxPriceUsd': {
      on: 2,
      changed: 3,
      beside: { ...onInstanceStore, 'nfs.instanceStore': { ...INSTANCE_STORE, spot: {} } },
    },
    address: { on: '172.16.4.90', changed: '172.16.4.91' },
    hostName: { on: 'files', changed: 'files2' },
    domainName: { alone: true, on: 'files.internal', changed: 'other.internal' },
    hostedZone: { on: ZONE, changed: OTHER_ZONE },
    'hostedZone.id': { on: ZONE.id, changed: TWIN_ZONE.id, beside: { 'nfs.hostedZone': ZONE } },
    // A domain within the zone.
    'hostedZone.name': { on: ZONE.name, changed: `west.${ZONE.name}`, beside: { 'nfs.hostedZone': ZONE } },
    exportName: { on: 'exports', changed: 'other' },
    clientRanges: { on: ['172.16.0.0/16'], changed: ['172.16.0.0/20', '10.0.0.0/16'] },
    exportOptions: { on: ['ro'], changed: ['no_wdelay'] },
    nfsdThreads: { on: 64, changed: 128 },
    expectedClients: { on: 8, changed: 16 },
    archive: { on: {}, changed: { everyHours: 12 } },
    'archive.everyHours': { on: 12, changed: 6, beside: { 'nfs.archive': {} } },
    encryptionKeyArn: { on: KEY, changed: OTHER_KEY },
  }),
};

const WITH_DISKS = { 'io2.instanceType': 'i4i.8xlarge' };
const ONE_HOST = ['sas-server-io2'];
const CLUSTER = ['sas-grid-gfs2'];
const VOLUMES = { count: 2, sizeGiB: 10_240, iops: 14_306 };
const RECORDED = { beside: { 'io2.deployedVolumes': VOLUMES }, only: CLUSTER };

const ofIo2: Choices = {
  io2: {
    on: { sizeGiB: 10_240 },
    changed: { sizeGiB: 20_480 },
    only: ['sas-grid-nfs'],
    insteadOf: ['nfs', 'gameDay', 'grid'],
  },
  ...hosts('io2', WITH_DISKS),
  ...imageBuild('io2', {}, ONE_HOST),
  ...under('io2', {
    capacityReservation: RESERVED,
    // There has to be a scratch.
    cleanUpScratchAfterHours: { on: 0, changed: 48, beside: WITH_DISKS },
    image: { on: { amiId: AMI }, changed: { amiId: OTHER_AMI } },
    'image.ssmParameter': { on: SSM, changed: '/mine/image', only: ONE_HOST },
    nodes: { on: 3, changed: 4 },
    sizeGiB: { on: 10_240, changed: 20_480 },
    instanceType: { on: 'r5b.12xlarge', changed: 'r5b.16xlarge' },
    throughputMBps: { on: 3000, changed: 2500 },
    iopsAdjustment: { on: 5, changed: 10 },
    stripeKiB: { on: 1024, changed: 512 },
    readAheadKiB: { on: 256, changed: 512, only: ONE_HOST },
    operatingSystem: { on: 'ubuntu', changed: 'debian', beside: { 'io2.image': { amiId: AMI } } },
    existingVolumes: {
      on: ['vol-1111111111111', 'vol-2222222222222'],
      changed: ['vol-3333333333333', 'vol-4444444444444'],
      beside: { 'io2.sizeGiB': 20_480, 'io2.throughputMBps': 7500 },
    },
    addresses: { on: ['172.16.4.90'], changed: ['172.16.4.91'], only: ONE_HOST },
    // They say what is deployed: another value is refused, whatever is recorded.
    deployedVolumes: { on: VOLUMES, changed: VOLUMES, only: CLUSTER },
    'deployedVolumes.count': { on: 2, changed: 2, ...RECORDED },
    'deployedVolumes.sizeGiB': { on: 10_240, changed: 10_240, ...RECORDED },
    'deployedVolumes.iops': { on: 14_306, changed: 14_306, ...RECORDED },
    clusterName: { on: 'sasgfs2', changed: 'other', only: CLUSTER },
    nodeNamePrefix: { on: 'node', changed: 'host', only: CLUSTER },
    fencing: { on: 'ec2', changed: 'ec2+nvme', only: CLUSTER },
    mountTimeoutMinutes: { on: 60, changed: 0, only: CLUSTER },
    recoveryTimeoutMinutes: { on: 30, changed: 60, only: ONE_HOST },
    encryptionKeyArn: { on: KEY, changed: OTHER_KEY },
  }),
};

const ofGrid: Choices = {
  grid: {
    on: { nodes: 2, instanceType: 'i4i.4xlarge' },
    changed: { nodes: 3, instanceType: 'i4i.4xlarge' },
    needed: true,
  },
  ...hosts('grid'),
  ...under('grid', {
    capacityReservation: { ...RESERVED, alone: true },
    nodes: { on: 4, changed: 5 },
    plannedNodes: { on: 10, changed: 12 },
    instanceType: { alone: true, on: 'i4i.8xlarge', changed: 'i4i.16xlarge' },
    controlServerInstanceType: { alone: true, on: 'i4i.4xlarge', changed: 'i4i.8xlarge' },
    inPublicSubnet: { on: true },
    domainName: { alone: true, on: 'grid.internal', changed: 'other.internal' },
    hostedZone: { on: ZONE, changed: OTHER_ZONE },
    'hostedZone.id': { on: ZONE.id, changed: TWIN_ZONE.id, beside: { 'grid.hostedZone': ZONE } },
    // A domain within the zone.
    'hostedZone.name': { on: ZONE.name, changed: `west.${ZONE.name}`, beside: { 'grid.hostedZone': ZONE } },
    terminationProtection: { on: false },
    sharedMBpsPerCore: { on: 10, changed: 20 },
    temporaryMBpsPerCore: { on: 10, changed: 20 },
    failOnShortfall: { on: true },
    cleanUpScratchAfterHours: { on: 0, changed: 48 },
  }),
};

const ofBenchmark: Choices = {
  benchmark: { on: {}, changed: { name: 'mine' } },
  ...under('benchmark', {
    name: { on: 'mine', changed: 'other' },
    tests: { on: ['sas-io', 'iozone'], changed: ['sas-io', 'raw-device'] },
    acceptRiskForDataOnTargets: {
      on: true,
      changed: true,
      beside: { 'benchmark.tests': ['lustre-server'] },
      needed: true,
      only: ['sas-grid-lustre'],
    },
    temporaryMBpsPerCore: { on: 80, changed: 90 },
    sharedMBpsPerCore: { on: 50, changed: 60 },
    parallel: { on: false },
    schedule: { on: 'cron(0 3 ? * SUN *)', changed: 'cron(0 4 ? * SUN *)' },
    runAfterDeployment: { on: true },
    // Elsewhere a test that is judged takes longer than CloudFormation waits.
    gateDeployment: {
      on: true,
      beside: { 'benchmark.tests': ['sas-io'] },
      only: ['sas-server-io2', 'sas-grid-gfs2'],
    },
    busyMBps: { on: 100, changed: 200 },
  }),
};

const ofGameDay: Choices = {
  gameDay: { on: {}, changed: { minimumApprovals: 1, approvalTimeoutMinutes: 30 } },
  ...under('gameDay', {
    approvers: {
      on: ['arn:aws:iam::111122223333:role/Operator'],
      changed: ['arn:aws:iam::111122223333:role/Other'],
    },
    minimumApprovals: { alone: true, on: 1, changed: 2 },
    approvalTimeoutMinutes: { on: 30, changed: 60 },
    recoveryTimeoutMinutes: { on: 30, changed: 60 },
  }),
};

const EVENINGS = {
  stop: 'cron(0 20 ? * MON-FRI *)',
  start: 'cron(0 7 ? * MON-FRI *)',
  timeZone: 'Europe/Berlin',
};
const ASLEEP = { beside: { 'operations.sleep': EVENINGS } };

const ofOperations: Choices = {
  operations: { on: {}, changed: { sleep: EVENINGS } },
  ...under('operations', {
    sleep: { on: EVENINGS, changed: { ...EVENINGS, timeZone: 'UTC' } },
    'sleep.stop': { on: EVENINGS.stop, changed: 'cron(0 22 ? * FRI *)', ...ASLEEP, needed: true },
    'sleep.start': { on: EVENINGS.start, changed: 'cron(0 6 ? * MON *)', ...ASLEEP, needed: true },
    'sleep.timeZone': { on: EVENINGS.timeZone, changed: 'America/New_York', ...ASLEEP, needed: true },
  }),
};

/** All tiers are of one set, at the addresses that it was served at. */
const OF_LUSTRE = {
  'storage.mgs.addresses': ['172.16.4.90'],
  'storage.mds.addresses': ['172.16.4.91'],
  'storage.oss.addresses': ['172.16.4.100', '172.16.4.101', '172.16.4.102'],
  'storage.mgs.restoreFrom': restored('1', 1),
  'storage.mds.restoreFrom': restored('1', 1),
  'storage.oss.restoreFrom': restored('1', 12),
  'storage.oss.count': 3,
  'storage.oss.volumesPerServer': 4,
};

const ofLustreTier = (name: 'mgs' | 'mds' | 'oss', count: number): Choices => {
  const key = `storage.${name}.restoreFrom`;
  const more = { beside: OF_LUSTRE, alone: true, needed: true };
  const { snapshots } = restored('2', count);
  return {
    [key]: { on: restored('1', count), changed: { set: '1', snapshots }, ...more },
    [`${key}.set`]: { on: '1', ...more },
    [`${key}.snapshots`]: { on: restored('1', count).snapshots, changed: snapshots, ...more },
  };
};

const ofRestore: Choices = {
  ...ofLustreTier('mgs', 1),
  ...ofLustreTier('mds', 1),
  ...ofLustreTier('oss', 12),
  ...restoreFrom('nfs.ebs.restoreFrom', 1, {
    beside: { 'nfs.ebs.volumeCount': undefined, 'nfs.ebs.throughputMBps': undefined },
  }),
  ...restoreFrom('io2.restoreFrom', 1, { only: ONE_HOST }),
};

/** Of a key, what it is given: every key that the schema knows is here. */
export const CHOICES: Choices = {
  description: { on: 'A grid', changed: 'Another grid' },
  // Elsewhere nothing is deployed yet.
  region: { on: 'us-east-1', changed: 'us-east-1' },
  account: { on: '111122223333', changed: '111122223333' },
  tags: { on: { team: 'grid' }, changed: { team: 'other', cost: '1' }, alone: true },
  alarmEmail: { on: 'operator@example.com', changed: 'other@example.com' },
  network: { on: {}, changed: { nat: 'none' } },
  existingNetwork: {
    on: {},
    changed: { vpcId: 'vpc-0123456789abcdef0' },
    only: ['sas-grid-nfs'],
    insteadOf: ['network', 'grid', 'benchmark'],
  },
  ...ofNetwork,
  ...ofExistingNetwork,
  ...ofStorage,
  ...ofFsx,
  ...ofNfs,
  ...ofIo2,
  ...ofGrid,
  ...ofBenchmark,
  ...ofGameDay,
  ...ofOperations,
  ...ofBackup,
  ...ofRestore,
};
