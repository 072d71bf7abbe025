/** A parameter of a document, of the type String. Its pattern has to keep out what could end a string of a shell. */
export interface DocumentParameter {
  readonly description: string;
  readonly default?: string;
  readonly allowedPattern: string;
  readonly maxChars?: number;
}

const DIRECTORY = '(/[A-Za-z0-9_][A-Za-z0-9._-]*)+';

const ADDRESS = '[0-9A-Fa-f][0-9A-Fa-f:.]{1,44}';

const TOOLS = '(fio|iperf3|iozone|python3)';

function wholeNumber(description: string, defaultValue: number): DocumentParameter {
  return {
    description,
    default: String(defaultValue),
    allowedPattern: '^(0|[1-9][0-9]{0,14})$',
  };
}

function oneOf(description: string, words: readonly string[]): DocumentParameter {
  return { description, default: words[0], allowedPattern: `^(${words.join('|')})$` };
}

/** Every document takes these. */
export const SHARED_PARAMETERS: Record<string, DocumentParameter> = {
  RunId: {
    description: 'Run of the benchmark; a part of the names of directories',
    allowedPattern: '^[A-Za-z0-9][A-Za-z0-9-]{0,63}$',
  },
  TestId: {
    description: 'Test of the run; for the record',
    default: '-',
    allowedPattern: '^[A-Za-z0-9_-]{1,128}$',
  },
  StartAt: {
    description: 'Seconds since 1970 at which all hosts begin, at most 900 s ahead; 0: at once',
    default: '0',
    allowedPattern: '^(0|[1-9][0-9]{0,10})$',
  },
  TimeoutSeconds: {
    description: 'After so many seconds the program ends itself, and then is ended; 30 to 172800',
    default: '7200',
    allowedPattern: '^[1-9][0-9]{1,5}$',
  },
  User: {
    description: 'Account that reads and writes; root where it may write to the directory',
    default: 'root',
    allowedPattern: '^[a-z_][a-z0-9_-]{0,31}$',
  },
};

/** Tests that could disturb others. */
const GUARD: Record<string, DocumentParameter> = {
  BusyMBps: wholeNumber(
    'Not done when others move so many MB/s (10^6 bytes) there; 0: nobody looks, at processors neither',
    10,
  ),
  BusyCpuPercent: wholeNumber('Not done when more than this of the processors is used', 50),
};

/** Tests that write to a directory. */
const PLACE: Record<string, DocumentParameter> = {
  Directory: {
    description: 'Absolute path; test files go to a directory of their own below it',
    allowedPattern: `^${DIRECTORY}$`,
    maxChars: 1024,
  },
  RequireMount: oneOf('yes: not done when the directory is on the root file system', ['yes', 'no']),
  KeepFreePercent: wholeNumber('How much of the file system stays free; 1 to 90', 10),
  Hosts: wholeNumber('Hosts that write to this file system at the same time; 1 to 4096', 1),
};

/** What each document takes besides. */
export const PARAMETERS = {
  'sas-io': {
    ...PLACE,
    ...GUARD,
    FileMiB: wholeNumber('Size of the file of each process; 0: all together twice the memory', 0),
    Processes: wholeNumber('Processes at once; 0: as many as there are physical cores', 0),
    BlockKiB: wholeNumber('Size of a read and of a write; 4 to 16384', 64),
    Data: oneOf('Zeros, data that cannot be compressed, or one after the other', ['both', 'zero', 'random']),
  },
  iozone: {
    ...PLACE,
    ...GUARD,
    FileMiB: wholeNumber('Size of the file of each thread; 0: all together twice the memory', 0),
    RecordKiB: wholeNumber('Size of a read and of a write; 4 to 16384', 1024),
    Threads: wholeNumber('Threads of each host; 0: one', 1),
    Clients: {
      description: 'Hosts that this one drives: addresses with commas between. Empty: itself alone',
      default: '',
      allowedPattern: `^(${ADDRESS}(,${ADDRESS})*)?$`,
      maxChars: 4096,
    },
    RemoteShell: oneOf('How this host reaches the clients', ['none', 'ssh', 'rsh']),
  },
  fio: {
    ...PLACE,
    ...GUARD,
    FileMiB: wholeNumber('Size of the file of each process; 0: all together twice the memory', 0),
    Processes: wholeNumber('Processes at once; 0: as many as there are physical cores', 0),
    Seconds: wholeNumber('How long reads and writes are mixed; 1 to 86400', 60),
    Files: wholeNumber('Small files of each process; 1 to 1000000', 1000),
    Jobs: {
      description: 'Of sequential, mixed and metadata, with commas between',
      default: 'sequential,mixed,metadata',
      allowedPattern: '^(sequential|mixed|metadata)(,(sequential|mixed|metadata)){0,2}$',
    },
  },
  'mixed-sas': {
    ...PLACE,
    ...GUARD,
    InputMiB: wholeNumber('Size of the input of each job with I/O; 1 to 1048576', 1024),
    Streams: wholeNumber('Jobs at once; 1 to 1024', 30),
    Jobs: wholeNumber('Jobs of the 19 tests in turn; 19 to 10000', 101),
    Scale: wholeNumber('How much is computed and how much memory is filled; 1 to 1000', 1),
  },
  network: {
    Peers: {
      description: 'Addresses of all hosts of the wave, with commas between, the same on each',
      allowedPattern: `^${ADDRESS}(,${ADDRESS})+$`,
      maxChars: 4096,
    },
    Seconds: wholeNumber('How long each pair is measured; 1 to 3600', 10),
    Streams: wholeNumber('TCP connections of a pair; 1 to 128', 8),
    Port: wholeNumber('TCP port of iperf3, which has to be open among the hosts; 1024 to 65535', 5201),
    Mode: oneOf('How it is measured', ['iperf3', 'lnet']),
    LnetNetwork: {
      description: 'Network of LNet that the addresses are in',
      default: 'tcp',
      allowedPattern: '^[a-z0-9]{2,16}$',
    },
  },
  'raw-device': {
    ...GUARD,
    MaxMiB: wholeNumber('How much of each disk is read; 1 to 67108864', 4096),
    Readers: wholeNumber('Processes for each disk; 1 to 64', 4),
  },
  'lustre-server': {
    ...GUARD,
    Seconds: wholeNumber('After so many seconds it is given up; 10 to 86400', 600),
    MiB: wholeNumber('How much is written to each target; 16 to 16777216', 4096),
    KeepFreePercent: wholeNumber('How much of each target stays free; 1 to 90', 10),
    AllowOnTargets: oneOf(
      'yes: it may write to the targets past the clients, with a small risk for what is on them',
      ['no', 'yes'],
    ),
  },
  install: {
    Tools: {
      description: 'Of fio, iperf3, iozone and python3, with commas between',
      default: '',
      allowedPattern: `^(${TOOLS}(,${TOOLS}){0,3})?$`,
    },
  },
  'clean-up': {
    Directories: {
      description: 'Directories of the tests of this run, with commas between',
      default: '',
      allowedPattern: `^(${DIRECTORY}(,${DIRECTORY})*)?$`,
      maxChars: 4096,
    },
    All: oneOf('yes: removes what all hosts of the run have left, which has to have ended on all of them', [
      'no',
      'yes',
    ]),
  },
} satisfies Record<string, Record<string, DocumentParameter>>;
