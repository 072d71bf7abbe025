import { Aws, DefaultStackSynthesizer, aws_ec2 as ec2, type Stack, Validations } from 'aws-cdk-lib';
import type * as iam from 'aws-cdk-lib/aws-iam';
import type { Bucket } from 'aws-cdk-lib/aws-s3';
import type { IConstruct } from 'constructs';
import { nagText } from '../../constructs/private/nag-text';

function acknowledge(scope: IConstruct, id: string, reason: string): void {
  Validations.of(scope).acknowledge({ id, reason });
}

/**
 * Accepts findings of cdk-nag in what the CDK makes for the catalog, with the reasons why they are right as they are.
 */
export function acknowledgeCatalog(stack: Stack, assets: Bucket): void {
  acknowledge(
    assets,
    'AwsSolutions-S1',
    'It holds the code of the products, which is public, and is read by CloudFormation when a product is ' +
      'launched or updated.',
  );
  const copier = stack.node.children.find(({ node }) => node.id.startsWith('Custom::CDKBucketDeployment'));
  if (!copier) return;
  const { account, region } = stack;
  // The CDK refers to the partition here, whatever the app's flags say of partitions.
  const arn = (text: string) => nagText(stack, `arn:${Aws.PARTITION}:${text}`);
  const cdkBucket = `cdk-${DefaultStackSynthesizer.DEFAULT_QUALIFIER}-assets-${account}-${region}`;
  const own = "The CDK's own function, which copies the assets from its bucket into that of the products.";
  for (const id of [
    `IAM4[Policy::${arn('iam::aws:policy/service-role/AWSLambdaBasicExecutionRole')}]`,
    'L1',
    ...['Abort*', 'DeleteObject*', 'GetBucket*', 'GetObject*', 'List*'].map(
      (name) => `IAM5[Action::s3:${name}]`,
    ),
    `IAM5[Resource::${nagText(stack, assets.bucketArn)}/*]`,
    `IAM5[Resource::${arn(`s3:::${cdkBucket}/*`)}]`,
  ]) {
    acknowledge(copier, `AwsSolutions-${id}`, own);
  }
}

/** Accepts the rules whose range is a parameter: cdk-nag can look at values only. */
export function acknowledgeRanges(product: Stack): void {
  for (const group of product.node.findAll()) {
    if (!(group instanceof ec2.CfnSecurityGroup)) continue;
    const rules = JSON.stringify(product.resolve(group.securityGroupIngress) ?? []);
    if (!rules.includes('"cidrIp":{')) continue;
    acknowledge(
      group,
      'AwsSolutions-EC23',
      'The range is a parameter of the product, whose pattern accepts no range that is wider than /8.',
    );
  }
}

/** Accepts the wildcards of a launch role. */
export function acknowledgeLaunchRole(role: iam.Role, statements: readonly iam.PolicyStatement[]): void {
  const findings = statements.flatMap((statement) => {
    const denies = statement.effect === 'Deny';
    const actions = statement.actions
      .filter((action) => action.includes('*'))
      .map((action) => [
        `Action::${action}`,
        'Actions of one kind on the same resources, by their common beginning.',
      ]);
    const resources = statement.resources.map((resource) => {
      const text = nagText(role, resource);
      if (text !== '*')
        return [
          `Resource::${text}`,
          'Limited to names as CloudFormation makes them in stacks of provisioned products.',
        ];
      return [`Resource::${text}`, denies ? 'It denies.' : reasonOf(statement)];
    });
    return [...actions, ...resources.filter(([id]) => id!.includes('*'))];
  });
  for (const [id, reason] of new Map(findings as [string, string][])) {
    acknowledge(role, `AwsSolutions-IAM5[${id}]`, reason);
  }
}

function reasonOf({ conditions }: iam.PolicyStatement): string {
  return Object.keys(conditions).length > 0
    ? 'Limited by a condition: the tag of the product, or that of the templates of Service Catalog.'
    : 'Reads, and creations of what has neither a name nor a tag before it is there.';
}
