import type { CfnElement } from 'aws-cdk-lib';
import { App, Duration, Size, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import * as ec2 from 'aws-cdk-lib/aws-ec2';
import type { IConstruct } from 'constructs';
import { HostBundle, HostRole, VolumeMap, VolumeReattachment } from '../../../constructs';
import { NodeHealth } from '../../../constructs/sas-grid-cluster/node-health';
import { settingsOf as proberSettingsOf } from '../../../lambda/health-prober/environment';
import { environmentOf as nodeEnvironmentOf } from '../../../lambda/node-health/environment';
import { settingsOf } from '../../../lambda/volume-reconciler/environment';
import type {
  EventRule,
  HookSpecification,
  LaunchChoice,
  NodeHealthDeployment,
  ProbeDocument,
  ProberDeployment,
  ServeDocument,
  TierDeployment,
} from './deployment';
import { SimulationError } from './errors';

const ENV = { account: '111122223333', region: 'us-east-1' };

/** Where nothing else is said, seconds (Lambda developer guide, "Asynchronous invocation"). */
const LONGEST_EVENT_AGE = 21_600;

/** Of the construct's `fallbackInstanceTypes`. */
const FALLBACKS = ['m6idn.2xlarge', 'c6in.4xlarge'];

/** A template's values, in which other resources may be named. */
type Value = unknown;
interface Resource {
  readonly Properties: { readonly [name: string]: Value };
}

/**
 * Synthesizes a tier with the real construct and reads from its template what the simulation needs: the workflow, the
 * rules, the hooks, the document, the time-outs. Takes seconds: once per process.
 *
 * @param recoveryTimeoutSeconds the construct's `recoveryTimeout`, in whole minutes
 */
export function synthesizeTier(recoveryTimeoutSeconds = 3600): TierDeployment {
  const stack = new Stack(new App({ builtinCloudFormationValidation: false }), 'Simulated', { env: ENV });
  const tier = newTier(stack, recoveryTimeoutSeconds);
  // Its instances are those of each simulated grid.
  const nodeHealth = new NodeHealth(stack, 'NodeHealth', {
    servers: { instanceIds: ['none'] },
    reachesFileServers: true,
  });
  const reader = new Reader(Template.fromStack(stack).toJSON().Resources, stack);
  const environment = reader.text(reader.of(tier.reconciler).Environment) as {
    Variables: { [name: string]: string };
  };
  const { settings, table, document } = settingsOf(environment.Variables);
  const machine = reader.of(tier.workflow);
  const served = reader.ofType('Custom::SasGridTierServed')[0]!;
  const seeded = reader.ofType('Custom::SasGridVolumeMap')[0]!;
  return {
    tier: settings.tier,
    tierTag: settings.tierTag,
    groupName: settings.groupName,
    tableName: table,
    documentName: document,
    stateMachineArn: String(reader.text(served.StateMachineArn)),
    stateMachine: JSON.parse(String(reader.text(machine.DefinitionString))),
    reconcilerArn: `${stack.getLogicalId(tier.reconciler.node.defaultChild as CfnElement)}.Arn`,
    seedArn: String(reader.text(served.ServiceToken)),
    reconcilerTimeoutSeconds: Number(reader.of(tier.reconciler).Timeout),
    seedTimeoutSeconds: Number(reader.withArn(String(reader.text(served.ServiceToken))).Timeout),
    seedEventAgeSeconds: Number(
      reader.ofType('AWS::Lambda::EventInvokeConfig')[0]?.MaximumEventAgeInSeconds ?? LONGEST_EVENT_AGE,
    ),
    hooks: hooksOf(reader.ofType('AWS::AutoScaling::AutoScalingGroup')[0]!),
    launches: launchesOf(reader.ofType('AWS::AutoScaling::AutoScalingGroup')[0]!, reader),
    serverType: settings.serverType,
    fallbackTypes: settings.fallbackTypes,
    document: documentOf(reader.named(document)),
    prober: proberOf(tier, reader),
    nodeHealth: nodeHealthOf(nodeHealth, reader),
    rules: reader
      .ofType('AWS::Events::Rule')
      .filter((rule) => targetOf(rule, reader) === reader.text(served.StateMachineArn))
      .map((rule) => ruleOf(rule, reader)),
    seedServiceTimeoutSeconds: Number(seeded.ServiceTimeout),
    serveServiceTimeoutSeconds: Number(served.ServiceTimeout),
    timeoutSeconds: Number(served.TimeoutSeconds),
    seededFor: String(served.SeededFor),
    recoveryTimeoutSeconds: settings.recoveryTimeoutSeconds,
  };
}

function newTier(stack: Stack, recoveryTimeoutSeconds: number): VolumeReattachment {
  const vpc = new ec2.Vpc(stack, 'Vpc', { maxAzs: 1, natGateways: 1 });
  const hostBundle = new HostBundle();
  hostBundle.addRole(HostRole.LUSTRE_OSS, {
    FSNAME: 'files',
    MGS_NID: '10.0.0.10@tcp',
    SERVICE: 'oss',
    VOLUMES_PER_SLOT: '1',
  });
  const map = new VolumeMap(stack, 'Map');
  return new VolumeReattachment(stack, 'Oss', {
    tier: 'oss',
    slotCount: 1,
    volumes: [{ volumeType: ec2.EbsDeviceVolumeType.GP3, size: Size.tebibytes(1) }],
    vpc,
    subnet: vpc.privateSubnets[0]!,
    securityGroup: new ec2.SecurityGroup(stack, 'Storage', { vpc }),
    instanceType: new ec2.InstanceType('m6in.2xlarge'),
    placementGroup: new ec2.PlacementGroup(stack, 'Cluster'),
    fallbackInstanceTypes: FALLBACKS.map((name) => new ec2.InstanceType(name)),
    machineImage: ec2.MachineImage.genericLinux({ 'us-east-1': 'ami-0123456789abcdef0' }),
    hostBundle,
    volumeMap: map,
    recoveryTimeout: Duration.seconds(recoveryTimeoutSeconds),
  });
}

/** Reads a template; references become names that differ where the resources do. */
class Reader {
  constructor(
    private readonly resources: { readonly [id: string]: Resource & { readonly Type: string } },
    private readonly stack: Stack,
  ) {}

  of(construct: IConstruct): Resource['Properties'] {
    return this.resources[this.stack.getLogicalId(construct.node.defaultChild as CfnElement)]!.Properties;
  }

  ofType(type: string): Resource['Properties'][] {
    const found = Object.values(this.resources).filter((resource) => resource.Type === type);
    if (found.length === 0) throw new SimulationError(`the template has no ${type}`);
    return found.map((resource) => resource.Properties);
  }

  named(id: string): Resource['Properties'] {
    return this.resources[id]!.Properties;
  }

  withArn(arn: string): Resource['Properties'] {
    return this.resources[arn.replace(/\.Arn$/, '')]!.Properties;
  }

  /** The value with its references resolved: Ref becomes the logical id, an attribute `<id>.<name>`. */
  text(value: Value): Value {
    if (Array.isArray(value)) return value.map((each) => this.text(each));
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value);
    const [name, argument] = entries[0] ?? [];
    if (entries.length === 1 && name === 'Ref') return String(argument);
    if (entries.length === 1 && name === 'Fn::GetAtt') return (argument as string[]).join('.');
    if (entries.length === 1 && name === 'Fn::Join') {
      const [separator, parts] = argument as [string, Value[]];
      return parts.map((part) => String(this.text(part))).join(separator);
    }
    if (name?.startsWith('Fn::')) throw new SimulationError(`${name} in the template is not understood`);
    return Object.fromEntries(entries.map(([key, member]) => [key, this.text(member)]));
  }
}

function hooksOf(group: Resource['Properties']): HookSpecification[] {
  const list = group.LifecycleHookSpecificationList as { [name: string]: string | number }[];
  return list.map((hook) => ({
    name: String(hook.LifecycleHookName),
    transition: hook.LifecycleTransition as HookSpecification['transition'],
    defaultResult: hook.DefaultResult as HookSpecification['defaultResult'],
    heartbeatSeconds: Number(hook.HeartbeatTimeout),
  }));
}

/** What the group's mixed instances policy has it try, and from which template. */
function launchesOf(group: Resource['Properties'], reader: Reader): LaunchChoice[] {
  type Specification = { readonly LaunchTemplateId: { readonly Ref: string } };
  const policy = group.MixedInstancesPolicy as {
    readonly LaunchTemplate: {
      readonly LaunchTemplateSpecification: Specification;
      readonly Overrides: {
        readonly InstanceType: string;
        readonly LaunchTemplateSpecification?: Specification;
      }[];
    };
  };
  const { LaunchTemplateSpecification: usual, Overrides } = policy.LaunchTemplate;
  return Overrides.map(({ InstanceType: instanceType, LaunchTemplateSpecification: own = usual }) => {
    const data = reader.named(own.LaunchTemplateId.Ref).LaunchTemplateData as { readonly Placement?: object };
    return { instanceType, inPlacementGroup: data.Placement !== undefined };
  });
}

function proberOf(tier: VolumeReattachment, reader: Reader): ProberDeployment {
  const prober = tier.healthProber!;
  const arn = `${Stack.of(tier).getLogicalId(prober.node.defaultChild as CfnElement)}.Arn`;
  const { Variables } = reader.text(reader.of(prober).Environment) as {
    Variables: { [name: string]: string };
  };
  const environment = proberSettingsOf(Variables);
  const rule = reader.ofType('AWS::Events::Rule').find((each) => targetOf(each, reader) === arn)!;
  return {
    arn,
    timeoutSeconds: Number(reader.of(prober).Timeout),
    everySeconds: everySecondsOf(rule)!,
    environment,
    document: probeDocumentOf(environment.document, reader),
  };
}

function nodeHealthOf(nodeHealth: NodeHealth, reader: Reader): NodeHealthDeployment {
  const asks = nodeHealth.node.findChild('Function');
  const arn = `${Stack.of(nodeHealth).getLogicalId(asks.node.defaultChild as CfnElement)}.Arn`;
  const { Variables } = reader.text(reader.of(asks).Environment) as {
    Variables: { [name: string]: string };
  };
  const environment = nodeEnvironmentOf(Variables);
  const rule = reader.ofType('AWS::Events::Rule').find((each) => targetOf(each, reader) === arn)!;
  const alarm = reader.of(nodeHealth.node.findChild('NodesCutOff'));
  return {
    arn,
    timeoutSeconds: Number(reader.of(asks).Timeout),
    everySeconds: everySecondsOf(rule)!,
    environment,
    document: probeDocumentOf(environment.document, reader),
    cutOff: {
      metric: String(alarm.MetricName),
      threshold: Number(alarm.Threshold),
      periods: Number(alarm.EvaluationPeriods),
      periodSeconds: Number(alarm.Period),
      missingRings: alarm.TreatMissingData === 'breaching',
    },
  };
}

function probeDocumentOf(name: string, reader: Reader): ProbeDocument {
  const { mainSteps } = reader.named(name).Content as {
    mainSteps: { inputs: { timeoutSeconds: string; runCommand: string[] } }[];
  };
  const { timeoutSeconds, runCommand } = mainSteps[0]!.inputs;
  const says = /^echo (program .*)$/.exec(runCommand[1]!)?.[1];
  return { name, timeoutSeconds: Number(timeoutSeconds), ...(says === undefined ? {} : { says }) };
}

function everySecondsOf(rule: Resource['Properties']): number | undefined {
  const rate = /^rate\((\d+) (minute|hour)s?\)$/.exec(String(rule.ScheduleExpression ?? ''));
  return rate ? Number(rate[1]) * (rate[2] === 'hour' ? 3600 : 60) : undefined;
}

function documentOf(document: Resource['Properties']): ServeDocument {
  return { parameters: (document.Content as ServeDocument).parameters };
}

function targetOf(rule: Resource['Properties'], reader: Reader): Value {
  return reader.text((rule.Targets as { Arn: Value }[])[0]?.Arn);
}

function ruleOf(rule: Resource['Properties'], reader: Reader): EventRule {
  const [target] = rule.Targets as {
    InputTransformer?: { InputPathsMap: object; InputTemplate: Value };
    Input?: Value;
  }[];
  const pattern = rule.EventPattern as { 'detail-type'?: string[] } | undefined;
  const everySeconds = everySecondsOf(rule);
  if (pattern === undefined && everySeconds === undefined)
    throw new SimulationError('a rule with neither events nor a rate');
  return {
    detailTypes: pattern?.['detail-type'] ?? [],
    everySeconds,
    paths: { ...(target?.InputTransformer?.InputPathsMap as { [name: string]: string } | undefined) },
    template: String(reader.text(target?.InputTransformer?.InputTemplate ?? target?.Input)),
  };
}
