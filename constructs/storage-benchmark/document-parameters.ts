/** A parameter of a document, of the type String. Its pattern has to keep out what could end a string of a shell. */
export interface DocumentParameter {
  readonly description: string;
  readonly default?: string;
  readonly allowedPattern: string;
  readonly maxChars?: number;
}

const DIRECTORY = '(/[A-Za-z0-9_][A-Za-z0-9._-]*)+';

const ADDRESS = '[0-9A-Fa-f][0-9A-Fa-f:.]{1,44}';

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
  'clean-up': {
    Directories: {
      description: 'Directories of the tests of this run, with commas between',
      default: '',
      allowedPattern: `^(${DIRECTORY}(,${DIRECTORY})*)?$`,
      maxChars: 4096,
    },
  },
} satisfies Record<string, Record<string, DocumentParameter>>;
