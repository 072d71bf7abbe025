import {
  CompleteLifecycleActionCommand,
  DescribeAutoScalingGroupsCommand,
  RecordLifecycleActionHeartbeatCommand,
  SetInstanceHealthCommand,
} from '@aws-sdk/client-auto-scaling';
import {
  AttachNetworkInterfaceCommand,
  AttachVolumeCommand,
  CreateTagsCommand,
  DescribeVolumesCommand,
  DetachNetworkInterfaceCommand,
  DetachVolumeCommand,
  ModifyInstanceAttributeCommand,
  ModifyNetworkInterfaceAttributeCommand,
} from '@aws-sdk/client-ec2';
import { StartExecutionCommand } from '@aws-sdk/client-sfn';
import { GetCommandInvocationCommand, SendCommandCommand } from '@aws-sdk/client-ssm';
import type { Side, Transcript } from './side';

const ZONE = 'us-east-1a';
const OTHER_ZONE = 'us-east-1b';
const UNKNOWN = '0123456789abcdef0';

/** Volumes and interfaces on instances that run, go down, are stopped and come up. */
export async function attachments(transcript: Transcript): Promise<void> {
  const { side } = transcript;
  const { ec2 } = side.clients;
  const [a, b] = [await side.newInstance(), await side.newInstance()];
  const names = { [a]: 'a', [b]: 'b' };
  const [first, second, elsewhere] = [
    await side.newVolume(ZONE),
    await side.newVolume(ZONE),
    await side.newVolume(OTHER_ZONE),
  ];
  const [card, other] = [await side.newInterface(), await side.newInterface()];
  const attach = (label: string, VolumeId: string, InstanceId: string, Device = '/dev/sdf') =>
    transcript.call(label, () => ec2.send(new AttachVolumeCommand({ VolumeId, InstanceId, Device })));
  const detach = (label: string, VolumeId: string, InstanceId?: string) =>
    transcript.call(label, () => ec2.send(new DetachVolumeCommand({ VolumeId, InstanceId })));
  const plug = (label: string, NetworkInterfaceId: string, InstanceId: string) =>
    transcript.call(label, () =>
      ec2.send(new AttachNetworkInterfaceCommand({ NetworkInterfaceId, InstanceId, DeviceIndex: 1 })),
    );
  const show = async (label: string) =>
    transcript.note(
      label,
      `${await transcript.volumeState(first, names)}, ${await transcript.interfaceState(card, names)}`,
    );
  const settled = (volume: string, networkInterface: string) =>
    side.until(`${volume}, ${networkInterface}`, async () => {
      const [one, two] = [
        await transcript.volumeState(first, names),
        await transcript.interfaceState(card, names),
      ];
      return one === volume && two === networkInterface;
    });

  await attach('attach', first, a);
  await plug('attach an interface', card, a);
  await show('attaching');
  await attach('attach to another', first, b);
  await attach('attach again', first, a);
  await attach('a device name that is none', second, a, 'sdf');
  await plug('attach the interface to another', card, b);
  await settled('in-use attached a', 'in-use attached a');
  await attach('a device name that is taken', second, a);
  await attach('a volume of another zone', elsewhere, a, '/dev/sdg');
  await attach('an unknown volume', `vol-${UNKNOWN}`, a);
  await attach('an unknown instance', second, `i-${UNKNOWN}`);
  await plug('a device index that is taken', other, a);
  await plug('an unknown interface', `eni-${UNKNOWN}`, a);
  await detach('detach what is free', second);
  await detach('detach from another', first, b);
  await detach('detach', first, a);
  await show('detaching');
  await detach('detach again', first, a);
  await settled('available', 'in-use attached a');
  await transcript.call('detach an unknown interface', () =>
    ec2.send(new DetachNetworkInterfaceCommand({ AttachmentId: `eni-attach-${UNKNOWN}` })),
  );
  await attach('attach once more', first, a);
  await settled('in-use attached a', 'in-use attached a');

  transcript.note('why it runs', await transcript.reason(a));
  await side.change('terminate', a);
  await show('shutting down');
  transcript.note('why it ends', await transcript.reason(a));
  await attach('attach to what shuts down', second, a, '/dev/sdg');
  await detach('detach from what shuts down', first, a);
  await attach('attach what a dying instance holds', first, b);
  await plug('attach the interface of a dying instance', card, b);
  await side.until('terminated', async () => (await transcript.instance(a))?.State?.Name === 'terminated');
  await settled('available', 'available');
  await attach('attach to what is terminated', first, a);
  await plug('attach an interface to what is terminated', card, a);

  await side.change('stop', b);
  await side.until('stopped', async () => (await transcript.instance(b))?.State?.Name === 'stopped');
  transcript.note('why it stopped', await transcript.reason(b));
  await attach('attach to what is stopped', first, b);
  await plug('attach an interface to what is stopped', card, b);
  await settled('in-use attached b', 'in-use attached b');
  await side.change('start', b);
  await side.until('running', async () => (await transcript.instance(b))?.State?.Name === 'running');
  await show('after a start');
  transcript.note('why it runs again', await transcript.reason(b));

  const tag = { Key: 'cdk-sas-grid:formatted', Value: 'oss-00' };
  await transcript.call('tag', () => ec2.send(new CreateTagsCommand({ Resources: [first], Tags: [tag] })));
  await transcript.call('tag an unknown volume', () =>
    ec2.send(new CreateTagsCommand({ Resources: [`vol-${UNKNOWN}`], Tags: [tag] })),
  );
  const Filters = [{ Name: `tag:${tag.Key}`, Values: [tag.Value] }];
  const tagged = await side.perform(ec2.send(new DescribeVolumesCommand({ Filters })));
  transcript.note('found by tag', String(tagged.Volumes?.map((volume) => volume.VolumeId === first)));
}

async function members(side: Side): Promise<{ [instanceId: string]: string }> {
  const command = new DescribeAutoScalingGroupsCommand({ AutoScalingGroupNames: [side.groupName] });
  const group = (await side.perform(side.clients.autoScaling.send(command))).AutoScalingGroups?.[0];
  return Object.fromEntries((group?.Instances ?? []).map((each) => [each.InstanceId!, each.LifecycleState!]));
}

async function memberIn(side: Side, state: string, ...but: string[]): Promise<string> {
  let found = '';
  await side.until(`a member in ${state}`, async () => {
    const fitting = Object.entries(await members(side)).find(
      ([id, now]) => now === state && !but.includes(id),
    );
    found = fitting?.[0] ?? '';
    return fitting !== undefined;
  });
  return found;
}

/** Lifecycle hooks of launches and terminations, an abandoned launch, a member that is called unhealthy. */
export async function lifecycle(transcript: Transcript): Promise<void> {
  const { side } = transcript;
  const { autoScaling } = side.clients;
  const AutoScalingGroupName = side.groupName;
  const complete = (
    label: string,
    InstanceId: string,
    LifecycleHookName: string,
    LifecycleActionResult: string,
  ) =>
    transcript.call(label, () =>
      autoScaling.send(
        new CompleteLifecycleActionCommand({
          AutoScalingGroupName,
          LifecycleHookName,
          InstanceId,
          LifecycleActionResult,
        }),
      ),
    );
  const beat = (label: string, InstanceId: string, LifecycleHookName: string) =>
    transcript.call(label, () =>
      autoScaling.send(
        new RecordLifecycleActionHeartbeatCommand({ AutoScalingGroupName, LifecycleHookName, InstanceId }),
      ),
    );

  await side.newGroup(1);
  const first = await memberIn(side, 'Pending:Wait');
  await beat('heartbeat of a launch', first, 'serve-slot');
  await beat('heartbeat of another hook', first, 'let-go');
  await complete('another hook', first, 'let-go', 'CONTINUE');
  await complete('an unknown instance', `i-${UNKNOWN}`, 'serve-slot', 'CONTINUE');
  await complete('another result', first, 'serve-slot', 'RETRY');
  await complete('abandon a launch', first, 'serve-slot', 'ABANDON');
  await complete('abandon it again', first, 'serve-slot', 'ABANDON');
  await side.until('terminating', async () => (await members(side))[first] === 'Terminating:Wait');
  const second = await memberIn(side, 'Pending:Wait', first);
  await complete('let the abandoned one go', first, 'let-go', 'CONTINUE');
  await side.until('gone', async () => (await members(side))[first] === undefined);
  transcript.note('the abandoned instance', String((await transcript.instance(first))?.State?.Name));
  await complete('complete a launch', second, 'serve-slot', 'CONTINUE');
  await side.until('in service', async () => (await members(side))[second] === 'InService');
  await complete('complete it again', second, 'serve-slot', 'CONTINUE');
  await beat('heartbeat after the end', second, 'serve-slot');
  const health = (HealthStatus: string, InstanceId: string) =>
    autoScaling.send(new SetInstanceHealthCommand({ InstanceId, HealthStatus }));
  await transcript.call('another health', () => health('Ill', second));
  await transcript.call('the health of nobody', () => health('Unhealthy', `i-${UNKNOWN}`));
  await transcript.call('unhealthy', () => health('Unhealthy', second));
  await side.until('terminating', async () => (await members(side))[second] === 'Terminating:Wait');
  transcript.note('it still runs', String((await transcript.instance(second))?.State?.Name));
  const third = await memberIn(side, 'Pending:Wait', first, second);
  await complete('abandon a termination', second, 'let-go', 'ABANDON');
  await side.until('gone', async () => (await members(side))[second] === undefined);
  await complete('complete the third', third, 'serve-slot', 'CONTINUE');
  await side.until('in service', async () => (await members(side))[third] === 'InService');
  await side.change('terminate', third);
  await memberIn(side, 'Pending:Wait', first, second, third);
  await complete('let what died go', third, 'let-go', 'CONTINUE');
  await side.until('gone', async () => (await members(side))[third] === undefined);
}

/** What Systems Manager and Step Functions refuse. */
export async function refusals(transcript: Transcript): Promise<void> {
  const { side } = transcript;
  const { sfn, ssm } = side.clients;
  const Parameters = { slot: ['oss-00'], epoch: ['1'], address: ['10.0.0.1'], volumes: [`vol-${UNKNOWN}`] };
  const send = (label: string, change: object) =>
    transcript.call(label, () =>
      ssm.send(
        new SendCommandCommand({
          DocumentName: side.documentName,
          InstanceIds: [`i-${UNKNOWN}`],
          Parameters,
          ...change,
        }),
      ),
    );
  await send('an instance without an agent', {});
  await send('an unknown document', { DocumentName: 'Unknown' });
  await send('a value that the document forbids', { Parameters: { ...Parameters, epoch: ['0'] } });
  await send('a parameter that is missing', { Parameters: { ...Parameters, slot: undefined } });
  await send('a parameter that is unknown', { Parameters: { ...Parameters, more: ['x'] } });
  await transcript.call('an unknown command', () =>
    ssm.send(
      new GetCommandInvocationCommand({
        CommandId: '00000000-0000-4000-8000-0123456789ab',
        InstanceId: `i-${UNKNOWN}`,
      }),
    ),
  );
  const start = (label: string, name: string, input: string, stateMachineArn = side.stateMachineArn) =>
    transcript.call(label, () => sfn.send(new StartExecutionCommand({ stateMachineArn, name, input })));
  await start('start', 'one', '{"seconds":2}');
  await start('start it again', 'one', '{"seconds":2}');
  await start('start it with another input', 'one', '{"seconds":3}');
  await start('start another machine', 'two', '{}', `${side.stateMachineArn}-unknown`);
}

/** What EC2 deletes with an instance: nothing that was attached, until somebody has it so. */
export async function doomed(transcript: Transcript): Promise<void> {
  const { side } = transcript;
  const { ec2 } = side.clients;
  const instance = await side.newInstance();
  const [volume, card] = [await side.newVolume(ZONE), await side.newInterface()];
  await transcript.call('attach', () =>
    ec2.send(new AttachVolumeCommand({ VolumeId: volume, InstanceId: instance, Device: '/dev/sdf' })),
  );
  await transcript.call('attach an interface', () =>
    ec2.send(
      new AttachNetworkInterfaceCommand({ NetworkInterfaceId: card, InstanceId: instance, DeviceIndex: 1 }),
    ),
  );
  const names = { [instance]: 'a' };
  await side.until('both attached', async () => {
    const both = [await transcript.volumeState(volume, names), await transcript.interfaceState(card, names)];
    return both.every((each) => each === 'in-use attached a');
  });
  const attachmentId = (await transcript.networkInterface(card))?.Attachment?.AttachmentId;
  const goAlong = async () =>
    [
      (await transcript.volume(volume))?.Attachments?.[0]?.DeleteOnTermination,
      (await transcript.networkInterface(card))?.Attachment?.DeleteOnTermination,
    ].join(' ');
  const becomes = async (what: string) => {
    await side.until(what, async () => (await goAlong()) === what);
    transcript.note('go along', what);
  };
  const mark = (label: string, DeviceName: string, Ebs: { DeleteOnTermination?: boolean }, id = instance) =>
    transcript.call(label, () =>
      ec2.send(
        new ModifyInstanceAttributeCommand({ InstanceId: id, BlockDeviceMappings: [{ DeviceName, Ebs }] }),
      ),
    );
  const markCard = (label: string, id: string, AttachmentId: string | undefined, goes: boolean) =>
    transcript.call(label, () =>
      ec2.send(
        new ModifyNetworkInterfaceAttributeCommand({
          NetworkInterfaceId: id,
          Attachment: { AttachmentId, DeleteOnTermination: goes },
        }),
      ),
    );
  await becomes('false false');
  await mark('without a word', '/dev/sdf', {});
  await becomes('true false');
  await markCard('the interface', card, attachmentId, true);
  await becomes('true true');
  await mark('a device that is not there', '/dev/sdz', { DeleteOnTermination: false });
  await mark('an unknown instance', '/dev/sdf', {}, `i-${UNKNOWN}`);
  await markCard('an unknown interface', `eni-${UNKNOWN}`, attachmentId, false);
  await markCard('an unknown attachment', card, `eni-attach-${UNKNOWN}`, false);
  await mark('keep', '/dev/sdf', { DeleteOnTermination: false });
  await markCard('keep the interface', card, attachmentId, false);
  await becomes('false false');
  await side.change('terminate', instance);
  await mark('of one that ends', '/dev/sdf', { DeleteOnTermination: true });
  await side.until('free', async () => (await transcript.volumeState(volume, names)) === 'available');
  transcript.note('in the end', await transcript.volumeState(volume, names));
}
