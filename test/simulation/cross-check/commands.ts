import { AttachNetworkInterfaceCommand, AttachVolumeCommand } from '@aws-sdk/client-ec2';
import {
  DescribeInstanceInformationCommand,
  GetCommandInvocationCommand,
  ListCommandInvocationsCommand,
  SendCommandCommand,
} from '@aws-sdk/client-ssm';
import type { Transcript } from './side';

const UNDER_WAY = ['Pending', 'InProgress', 'Delayed'];

/** Commands that are taken: how they end, what is told of them, and what becomes of that when their host has gone. */
export async function commands(transcript: Transcript): Promise<void> {
  const { side } = transcript;
  const { ec2, ssm } = side.clients;
  const [host, other] = [await side.newInstance(), await side.newInstance()];
  const [volume, card] = [await side.newVolume('us-east-1a'), await side.newInterface()];
  const names = { [host]: 'the host' };
  await side.perform(
    ec2.send(new AttachVolumeCommand({ VolumeId: volume, InstanceId: host, Device: '/dev/sdf' })),
  );
  await side.perform(
    ec2.send(
      new AttachNetworkInterfaceCommand({ NetworkInterfaceId: card, InstanceId: host, DeviceIndex: 1 }),
    ),
  );
  await side.until('attached', async () => {
    const states = [
      await transcript.volumeState(volume, names),
      await transcript.interfaceState(card, names),
    ];
    return states.every((state) => state === 'in-use attached the host');
  });
  const Filters = [{ Key: 'InstanceIds', Values: [host] }];
  await side.until('an agent', async () => {
    const found = await side.perform(ssm.send(new DescribeInstanceInformationCommand({ Filters })));
    return found.InstanceInformationList?.[0]?.PingStatus === 'Online';
  });

  const address = (await transcript.networkInterface(card))?.PrivateIpAddress ?? '';
  const command = (epoch: string) =>
    new SendCommandCommand({
      DocumentName: side.documentName,
      InstanceIds: [host],
      TimeoutSeconds: 60,
      Parameters: {
        slot: ['oss-00'],
        epoch: [epoch],
        address: [address],
        volumes: [volume],
        mayFormat: ['true'],
      },
    });
  const ids: string[] = [];
  const invocation = (CommandId: string, InstanceId: string) =>
    ssm.send(new GetCommandInvocationCommand({ CommandId, InstanceId }));
  const howItEnds = async (label: string, epoch: string) => {
    const sent = (await side.perform(ssm.send(command(epoch)))).Command;
    ids.push(sent?.CommandId ?? '');
    transcript.note(`${label} is`, `${sent?.Status} on ${sent?.InstanceIds?.length}`);
    await side.until(`the end of ${label}`, async () => {
      try {
        const found = await side.perform(invocation(ids.at(-1)!, host));
        return !UNDER_WAY.includes(found.Status ?? '');
      } catch (error) {
        // One just taken may not be known yet.
        if ((error as Error).name !== 'InvocationDoesNotExist') throw error;
        return false;
      }
    });
    const { Status, StatusDetails, ResponseCode } = await side.perform(invocation(ids.at(-1)!, host));
    transcript.note(`${label} ends`, `${Status}, ${StatusDetails}, exit code ${ResponseCode}`);
  };
  await howItEnds('a command', '2');
  await howItEnds('one with an epoch before', '1');
  await transcript.call('what became of it on another host', () => invocation(ids[0]!, other));

  const page = async (NextToken?: string) => {
    const filters = [{ key: 'DocumentName' as const, value: side.documentName }];
    return side.perform(
      ssm.send(
        new ListCommandInvocationsCommand({ Filters: filters, Details: true, MaxResults: 1, NextToken }),
      ),
    );
  };
  const told = ({ CommandInvocations: [found] = [] }: Awaited<ReturnType<typeof page>>) =>
    `${ids.indexOf(found?.CommandId ?? '')} ${found?.Status}, exit code ${found?.CommandPlugins?.[0]?.ResponseCode}`;
  const first = await page();
  transcript.note('the first page', told(first));
  const second = await page(first.NextToken);
  transcript.note('the second', `${told(second)}, ${second.NextToken ? 'and more' : 'the last'}`);

  await side.change('terminate', host);
  await side.until('terminated', async () => (await transcript.instance(host))?.State?.Name === 'terminated');
  await transcript.call('a command to what is terminated', () => ssm.send(command('3')));
  const { Status, ResponseCode } = await side.perform(invocation(ids[0]!, host));
  transcript.note('the first command is still', `${Status}, exit code ${ResponseCode}`);
}
