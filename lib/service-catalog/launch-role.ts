import { CfnDeletionPolicy, CfnParameter, CfnResource, aws_iam as iam, Stack } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import { viaService } from '../../constructs/private/via-service';
import { acknowledgeLaunchRole } from './acknowledge';
import { LAUNCH_ACTIONS } from './launch-actions';
import { PRODUCT_TAG } from './product-stack';
import type { Template } from './versions';

// CloudFormation's own actions on the stacks of provisioned products (Service Catalog administrator guide, "Launch
// constraints").
const STACK_ACTIONS = [
  'CancelUpdateStack',
  'ContinueUpdateRollback',
  'CreateChangeSet',
  'CreateStack',
  'DeleteChangeSet',
  'DeleteStack',
  'DescribeChangeSet',
  'DescribeStack*',
  'ExecuteChangeSet',
  'GetStackPolicy',
  'GetTemplate',
  'ListChangeSets',
  'ListStackResources',
  'RollbackStack',
  'SetStackPolicy',
  'TagResource',
  'UntagResource',
  'UpdateStack',
].map((name) => `cloudformation:${name}`);

// Who has the role cannot call it himself (IAM User Guide, "aws:CalledVia").
const BY_CLOUDFORMATION = {
  'ForAnyValue:StringEquals': { 'aws:CalledVia': ['cloudformation.amazonaws.com'] },
};

// Load balancers and target groups have names of 32 characters, of which the stack's name gets the first.
const SHORT_NAME = 'SC-*';

export interface LaunchRoleProps {
  readonly deployment: string;
  /** The template that is launched with the role. */
  readonly product: Stack;
  /** Templates of earlier versions: who has launched one updates from it, and terminates it, with the role too. */
  readonly earlier: readonly Template[];
  /** Where the assets of the product lie. */
  readonly assetsArn: string;
  /** The topic that is told of the stack. */
  readonly topicArn: string;
  /** That topic's key. */
  readonly topicKeyArn: string;
  /** Keys of the configuration, which are nobody's of the product. */
  readonly keyArns: readonly string[];
}

/**
 * What Service Catalog launches, updates and terminates a product with. Its rights are computed from the resource types
 * of the template: on names that begin as those of provisioned products' stacks do, on what carries the product's tag,
 * and on anything only where AWS knows no other limit. What is kept when the product is terminated it may not delete at
 * all, whatever a template says.
 */
export class LaunchRole extends Construct {
  public readonly role: iam.Role;

  public constructor(scope: Construct, id: string, props: LaunchRoleProps) {
    super(scope, id);
    this.role = new iam.Role(this, 'Role', {
      assumedBy: new iam.ServicePrincipal('servicecatalog.amazonaws.com'),
      description: `Launches ${props.deployment} from Service Catalog`,
    });
    const statements = [...launchStatements(this, props), ...productStatements(this, props)];
    acknowledgeLaunchRole(this.role, statements);
    for (const statement of statements) this.role.addToPolicy(statement);
  }
}

/**
 * What the role is for: of each resource type, whether all there are of it are kept; and who assumes the product's
 * roles.
 */
interface Inventory {
  readonly types: ReadonlyMap<string, { readonly kept: boolean }>;
  readonly services: readonly string[];
}

function inventory({ product, earlier }: LaunchRoleProps): Inventory {
  const now = product.node
    .findAll()
    .filter((node) => CfnResource.isCfnResource(node))
    .map((node) => ({
      type: node.cfnResourceType,
      kept: node.cfnOptions.deletionPolicy === CfnDeletionPolicy.RETAIN,
      trust:
        node instanceof iam.CfnRole
          ? (product.resolve(node.assumeRolePolicyDocument) as TrustPolicy)
          : undefined,
    }));
  const before = earlier
    .flatMap(({ Resources }) => Object.values(Resources))
    .map(({ Type, DeletionPolicy, Properties }) => ({
      type: Type,
      kept: DeletionPolicy === 'Retain',
      trust: Type === 'AWS::IAM::Role' ? (Properties!.AssumeRolePolicyDocument as TrustPolicy) : undefined,
    }));
  const all = [...now, ...before];
  const types = [...new Set(all.map(({ type }) => type))].sort();
  const services = all.flatMap(
    ({ trust }) => trust?.Statement.flatMap(({ Principal }) => Principal.Service ?? []) ?? [],
  );
  return {
    types: new Map(
      types.map((type) => [
        type,
        { kept: all.filter((each) => each.type === type).every(({ kept }) => kept) },
      ]),
    ),
    services: [...new Set(services)].sort(),
  };
}

/**
 * Names of AWS's public parameters in Systems Manager that a template's parameters stand for; CloudFormation reads them
 * with the role.
 */
function publicParameters({ product, earlier }: LaunchRoleProps): string[] {
  const now = product.node
    .findAll()
    .filter((node) => node instanceof CfnParameter)
    .map((node) => ({ Type: node.type, Default: node.default as unknown }));
  const before = earlier.flatMap(({ Parameters }) => Object.values(Parameters ?? {}));
  const names = [...now, ...before]
    .filter(({ Type }) => Type.startsWith('AWS::SSM::Parameter::'))
    .map(({ Default }) => String(Default));
  const unknown = names.find((name) => !name.startsWith('/aws/service/'));
  if (unknown) {
    throw new Error(
      `a product reads the parameter '${unknown}'; allowed: AWS's public ones, '/aws/service/...', as those who ` +
        'launch it have no other',
    );
  }
  return [...new Set(names)].sort();
}

/** What launching takes, whatever is launched. */
function launchStatements(scope: Construct, props: LaunchRoleProps): iam.PolicyStatement[] {
  const { partition, account } = Stack.of(scope);
  const parameters = publicParameters(props).map((name) => `arn:${partition}:ssm:*::parameter${name}`);
  return [
    ...(parameters.length > 0 ? [allow(['ssm:GetParameters'], parameters)] : []),
    allow(STACK_ACTIONS, [`arn:${partition}:cloudformation:*:${account}:stack/SC-${account}-*`]),
    // The first of them knows no stack, although its name begins as those above do.
    allow(
      [
        'cloudformation:DescribeStackDriftDetectionStatus',
        'cloudformation:GetTemplateSummary',
        'cloudformation:ValidateTemplate',
        'ec2:Describe*',
      ],
      ['*'],
    ),
    // The template, in a bucket of Service Catalog's own.
    allow(['s3:GetObject'], ['*'], {
      StringEquals: { 's3:ExistingObjectTag/servicecatalog:provisioning': 'true' },
    }),
    allow(['s3:GetObject'], [`${props.assetsArn}/*`]),
    allow(['sns:Publish'], [props.topicArn]),
    allow(['kms:Decrypt', 'kms:GenerateDataKey*'], [props.topicKeyArn]),
    ...(props.keyArns.length > 0
      ? [
          allow(
            ['kms:DescribeKey', 'kms:CreateGrant', 'kms:Decrypt', 'kms:GenerateDataKey*', 'kms:ReEncrypt*'],
            [...props.keyArns],
          ),
        ]
      : []),
  ];
}

function productStatements(scope: Construct, props: LaunchRoleProps): iam.PolicyStatement[] {
  const { partition, account } = Stack.of(scope);
  const { types, services } = inventory(props);
  const statements: iam.PolicyStatement[] = [];
  const kept: string[] = [];
  for (const [type, { kept: isKept }] of types) {
    const actions = LAUNCH_ACTIONS[type];
    if (!actions) {
      throw new Error(
        `${type} is not in lib/service-catalog/launch-actions.ts: write down there what CloudFormation does with it`,
      );
    }
    const { any = [], atOnce = [], byServices, tagged = [], named, delete: deletes = [] } = actions;
    const anything = any.filter((action) => action !== LINK);
    const linked = any.length > anything.length;
    if (isKept) kept.push(...deletes);
    const onTagged = [...tagged, ...(isKept ? [] : deletes)];
    if (anything.length > 0) statements.push(allow(anything, ['*']));
    if (atOnce.length > 0) statements.push(allow([...atOnce], ['*'], BY_CLOUDFORMATION));
    if (byServices) {
      const { services: through, actions: theirs } = byServices;
      statements.push(allow([...theirs], ['*'], viaService(scope, ...through)));
    }
    if (onTagged.length > 0) {
      const equals = { [`aws:ResourceTag/${PRODUCT_TAG}`]: props.deployment };
      statements.push(allow(onTagged, ['*'], { StringEquals: equals }));
    }
    if (named) {
      statements.push(
        allow(
          [...named.actions],
          named.arns.map((arn) => arnOf(arn, partition, account)),
        ),
      );
    }
    if (linked) statements.push(serviceLinked(type, partition, account));
  }
  if (services.length > 0) {
    statements.push(
      allow(['iam:PassRole'], [`arn:${partition}:iam::${account}:role/SC-${account}-*`], {
        StringEquals: { 'iam:PassedToService': services },
      }),
    );
  }
  if (kept.length > 0) {
    statements.push(
      new iam.PolicyStatement({
        sid: 'KeepData',
        effect: iam.Effect.DENY,
        actions: kept,
        resources: ['*'],
      }),
    );
  }
  return statements;
}

function allow(
  actions: string[],
  resources: string[],
  conditions?: { [operator: string]: unknown },
): iam.PolicyStatement {
  return new iam.PolicyStatement({ actions, resources, conditions });
}

/** `service:region:rest` as an ARN of this account; `*` for the region, nothing where there is none. */
function arnOf(pattern: string, partition: string, account: string): string {
  const [service, region, ...rest] = pattern.split(':');
  const name = rest
    .join(':')
    .replace('<name>', `SC-${account}-*`)
    .replace('<short>', SHORT_NAME)
    .replace('<lower>', `sc-${account}-*`);
  if (service === 's3') return `arn:${partition}:s3:::${name.replace(/^:*/, '')}`;
  return `arn:${partition}:${service}:${region}:${account}:${name}`;
}

const LINK = 'iam:CreateServiceLinkedRole';

const SERVICE_LINKED: Readonly<Record<string, string>> = {
  'AWS::AutoScaling::AutoScalingGroup': 'autoscaling.amazonaws.com',
  'AWS::ElasticLoadBalancingV2::LoadBalancer': 'elasticloadbalancing.amazonaws.com',
  'AWS::FSx::FileSystem': 'fsx.amazonaws.com',
};

/** The first resource of some services in an account makes the service's own role. */
function serviceLinked(type: string, partition: string, account: string): iam.PolicyStatement {
  const service = SERVICE_LINKED[type]!;
  return allow([LINK], [`arn:${partition}:iam::${account}:role/aws-service-role/${service}/*`], {
    StringEquals: { 'iam:AWSServiceName': service },
  });
}

interface TrustPolicy {
  readonly Statement: readonly { readonly Principal: { readonly Service?: string | string[] } }[];
}
