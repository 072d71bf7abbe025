/** Shows how long the recoveries of a deployment took, phase by phase: npx tsx scripts/recovery-time.ts --help */
import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { OptionError } from '../cli/arguments';
import { Terminal } from '../cli/terminal';
import { parseOptions, USAGE } from './recovery-time/options';
import { ReadError, readTimes, tableOf } from './recovery-time/read';
import { json, report } from './recovery-time/report';

// The SDK's notice that Node 20 will be dropped one day is nothing a user of the report can act on.
process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = 'true';

async function main(): Promise<number> {
  try {
    const options = parseOptions(process.argv.slice(2));
    if (options.help) {
      process.stdout.write(`${USAGE}\n`);
      return 0;
    }
    const settings = { region: options.region, maxAttempts: 5 };
    const table = options.table ?? (await tableOf(new CloudFormationClient(settings), options.deployment!));
    const times = await readTimes(new DynamoDBClient(settings), table, options);
    if (options.json) process.stdout.write(`${JSON.stringify(json(times), null, 2)}\n`);
    else report(times, new Terminal(process.stdout));
    return 0;
  } catch (error) {
    if (error instanceof OptionError) {
      process.stderr.write(`${error.message}\nUse --help to see the options.\n`);
      return 2;
    }
    if (!(error instanceof ReadError)) throw error;
    process.stderr.write(`${error.message}\n`);
    return 1;
  }
}

main().then(
  (code) => {
    process.exitCode = code;
  },
  (error) => {
    process.stderr.write(`${(error as Error).stack ?? error}\n`);
    process.exitCode = 1;
  },
);
