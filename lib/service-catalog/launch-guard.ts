import {
  Aspects,
  CfnResource,
  CustomResource,
  Duration,
  aws_iam as iam,
  aws_lambda as lambda,
  aws_logs as logs,
  RemovalPolicy,
  Stack,
} from 'aws-cdk-lib';
import { Construct, type IConstruct } from 'constructs';
import { lambdaBundle } from '../../constructs/private/package-root';

/** The resource's type in the template. */
export const GUARD_TYPE = 'Custom::SasGridLaunchGuard';

// After host software may have been put into S3, which is decided by an aspect too.
const AFTER_HOST_SOFTWARE = 950;

/**
 * Refuses an update of a launched product that changes a parameter which is fixed at launch. Service Catalog and CloudFormation's rules
 * know nothing of the values before. Everything that refers to such a parameter depends on the guard: the update fails before anything is
 * touched, and its rollback finds everything as it was.
 *
 * The values of the launch are the guard's physical id, which CloudFormation keeps. Its function calls no service of AWS.
 */
export class LaunchGuard extends Construct {
  /**
   * @param fixed the values by the name of their parameter
   */
  public constructor(scope: Construct, id: string, fixed: { readonly [parameter: string]: string }) {
    super(scope, id);
    const logGroup = new logs.LogGroup(this, 'Logs', {
      retention: logs.RetentionDays.ONE_YEAR,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const role = new iam.Role(this, 'Role', {
      assumedBy: new iam.ServicePrincipal('lambda.amazonaws.com'),
      description: 'Guard of what is fixed at launch: its log only',
    });
    role.addToPolicy(
      new iam.PolicyStatement({
        actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
        resources: [logGroup.logGroupArn],
      }),
    );
    const handler = new lambda.Function(this, 'Function', {
      description: 'Refuses updates of what is fixed at launch',
      runtime: lambda.Runtime.NODEJS_24_X,
      architecture: lambda.Architecture.ARM_64,
      handler: 'index.handler',
      code: lambda.Code.fromAsset(lambdaBundle('launch-guard')),
      timeout: Duration.seconds(60),
      memorySize: 256,
      role,
      logGroup,
    });
    const guard = new CustomResource(this, 'Guard', {
      serviceToken: handler.functionArn,
      resourceType: GUARD_TYPE,
      serviceTimeout: Duration.minutes(5),
      properties: { Fixed: fixed },
    });
    const product = Stack.of(this);
    const visit = (node: IConstruct) => {
      if (node === product) this.putBefore(guard, Object.keys(fixed));
    };
    Aspects.of(product).add({ visit }, { priority: AFTER_HOST_SOFTWARE });
  }

  private putBefore(guard: CustomResource, parameters: string[]): void {
    const product = Stack.of(this);
    for (const resource of product.node.findAll()) {
      if (!(resource instanceof CfnResource) || resource.node.scopes.includes(this)) continue;
      if (refersTo(product, resource, parameters))
        resource.addResourceDependency(guard.node.defaultChild as CfnResource);
    }
  }
}

function refersTo(product: Stack, resource: CfnResource, parameters: string[]): boolean {
  const text = JSON.stringify(product.resolve(resource._toCloudFormation()));
  return parameters.some(
    (name) => text.includes(JSON.stringify({ Ref: name })) || text.includes(`\${${name}}`),
  );
}
