/** Where a physical name has to be the only one of its kind. */
export type Scope = 'world' | 'account' | 'region' | 'vpc';

// What the documentation of each type says of its name. Whatever else is called a name is in NO_NAMES, or makes the
// tests fail: somebody has to decide.
const SCOPES: Readonly<Record<string, Scope>> = {
  'AWS::AutoScaling::AutoScalingGroup.AutoScalingGroupName': 'region',
  'AWS::CloudWatch::Dashboard.DashboardName': 'account',
  'AWS::EC2::LaunchTemplate.LaunchTemplateName': 'region',
  'AWS::Logs::LogGroup.LogGroupName': 'region',
  'AWS::Route53::HostedZone.Name': 'vpc',
  'AWS::Route53::RecordSet.Name': 'vpc',
  'AWS::S3::Bucket.BucketName': 'world',
  'AWS::SNS::Topic.TopicName': 'region',
  'AWS::StepFunctions::StateMachine.StateMachineName': 'region',
};

const NO_NAMES = [
  // Of something that exists, or inside of something that has a name of its own.
  /^AWS::(CloudWatch::Alarm\.MetricName|EC2::VPCEndpoint\.ServiceName|IAM::Policy\.PolicyName|SSM::Association\.Name)$/,
  /^AWS::(AutoScaling::LifecycleHook\.(AutoScalingGroupName|LifecycleHookName)|EC2::Instance\.PlacementGroupName)$/,
  /^AWS::(Lambda::Permission\.FunctionName|Lambda::Url\.|SNS::Subscription\.|IAM::InstanceProfile\.Roles)/,
  /^AWS::(SSM::Association\.AssociationName|ApplicationAutoScaling::|Lambda::EventInvokeConfig\.FunctionName)/,
  // For people.
  /^AWS::(SNS::Topic\.DisplayName|ServiceCatalog::.*)/,
  /^Custom::/,
];

export interface PhysicalName {
  /** `<type>.<property>`, or `export`. */
  readonly kind: string;
  readonly scope: Scope;
  /** With names of stacks put in; what is known at deployment only is unlike anything else. */
  readonly name: string;
}

interface Template {
  readonly Resources?: Record<string, { Type: string; Properties?: Record<string, unknown> }>;
  readonly Outputs?: Record<string, { Export?: { Name: unknown } }>;
}

/**
 * All names in a template that are not left to AWS.
 *
 * @param stackName the name of its stack
 * @param vpc the VPC that it stands in, for names in a VPC, when it is not the template's own
 * @throws when a property is a name, and nothing says where it has to be the only one
 */
export function physicalNames(template: Template, stackName: string, vpc = stackName): PhysicalName[] {
  const text = (value: unknown): string => textOf(value, stackName);
  const names = Object.values(template.Resources ?? {}).flatMap(({ Type, Properties = {} }) =>
    Object.entries(Properties).flatMap(([property, value]): PhysicalName[] => {
      const kind = `${Type}.${property}`;
      if (!/(^|[a-z])Name$/.test(property) || refersOnly(value)) return [];
      if (NO_NAMES.some((pattern) => pattern.test(kind))) return [];
      const scope = SCOPES[kind];
      if (!scope)
        throw new Error(
          `${kind} is ${JSON.stringify(value)}: say in physical-names.ts where it is the only one`,
        );
      return [{ kind, scope, name: scope === 'vpc' ? `${vpc}: ${text(value)}` : text(value) }];
    }),
  );
  const exported = Object.values(template.Outputs ?? {}).flatMap(({ Export }): PhysicalName[] =>
    Export ? [{ kind: 'export', scope: 'region', name: text(Export.Name) }] : [],
  );
  return [...names, ...exported];
}

/** The names that two things would have in one place. */
export function collisions(names: readonly PhysicalName[], scopes: readonly Scope[]): string[] {
  const shown = names
    .filter(({ scope }) => scopes.includes(scope))
    .map(({ kind, name }) => `${kind} ${name}`);
  return [...new Set(shown.filter((each, index) => shown.indexOf(each) !== index))].sort();
}

/** What another resource or the user of the template says. */
const refersOnly = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  ['Ref', 'Fn::GetAtt', 'Fn::ImportValue', 'Fn::If'].some((key) => key in value);

function textOf(value: unknown, stackName: string): string {
  if (typeof value === 'string') return value;
  const { Ref, 'Fn::Join': join } = value as { Ref?: string; 'Fn::Join'?: [string, unknown[]] };
  if (Ref === 'AWS::StackName') return stackName;
  if (join) return join[1].map((part) => textOf(part, stackName)).join(join[0]);
  return `${stackName}<${JSON.stringify(value)}>`;
}
