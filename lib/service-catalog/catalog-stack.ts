import {
  CfnOutput,
  aws_s3_deployment as deployment,
  Fn,
  aws_kms as kms,
  RemovalPolicy,
  Stack,
  type StackProps,
  aws_s3 as s3,
  aws_servicecatalog as servicecatalog,
  aws_sns as sns,
  aws_sns_subscriptions as subscriptions,
} from 'aws-cdk-lib';
import { Construct } from 'constructs';
import { KeptResourceError } from '../../constructs/deployed-data/kept-resources';
import type { DeploymentConfig } from '../config-types';
import { KEYS } from '../file-systems/keys';
import { acknowledgeCatalog } from './acknowledge';
import type { CatalogConfig, CatalogProduct } from './catalog-config';
import { LaunchRole } from './launch-role';
import type { ProductRule } from './parameter';
import { SasGridProduct } from './product-stack';
import { type RecordedVersion, requireCompatible, templateOf } from './versions';

export interface ServiceCatalogStackProps extends StackProps {
  readonly catalog: CatalogConfig;
  /** The configurations of the deployments that are products. */
  readonly deployments: Readonly<Record<string, DeploymentConfig>>;
  /** Name of the current version of all products. */
  readonly version: string;
  readonly assetBucketName: string;
  /** Versions that were deployed before, by deployment. */
  readonly recorded: Readonly<Record<string, readonly RecordedVersion[]>>;
  /** Whether an update may stop and start the hosts of a launched product. */
  readonly restartConsent: boolean;
}

/** A portfolio with a product for each deployment, and who may launch them. */
export class ServiceCatalogStack extends Stack {
  public readonly portfolio: servicecatalog.Portfolio;

  /** The templates of the current version, by deployment. */
  public readonly products: Readonly<Record<string, SasGridProduct>>;

  private readonly assets: s3.Bucket;
  private readonly topic: sns.Topic;
  private readonly topicKey: kms.Key;

  public constructor(scope: Construct, id: string, props: ServiceCatalogStackProps) {
    super(scope, id, props);
    const { catalog } = props;
    // Launched products are made of these again whenever they are updated: also those of earlier versions.
    this.assets = new s3.Bucket(this, 'Assets', {
      bucketName: props.assetBucketName,
      encryption: s3.BucketEncryption.S3_MANAGED,
      blockPublicAccess: s3.BlockPublicAccess.BLOCK_ALL,
      enforceSSL: true,
      versioned: true,
      removalPolicy: RemovalPolicy.RETAIN,
    });
    this.topicKey = new kms.Key(this, 'EventsKey', {
      description: `Notifications of the catalog ${id}`,
      enableKeyRotation: true,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    this.topic = new sns.Topic(this, 'Events', { enforceSSL: true, masterKey: this.topicKey });
    if (catalog.notificationEmail) {
      this.topic.addSubscription(new subscriptions.EmailSubscription(catalog.notificationEmail));
    }
    this.portfolio = new servicecatalog.Portfolio(this, 'Portfolio', {
      displayName: catalog.portfolio.name,
      providerName: catalog.portfolio.provider,
      description: catalog.portfolio.description,
    });
    this.letIn(catalog.launchableBy);
    if (catalog.tagOptions) {
      const allowedValuesForTags = Object.fromEntries(
        Object.entries(catalog.tagOptions).map(([key, values]) => [key, [...values]]),
      );
      this.portfolio.associateTagOptions(
        new servicecatalog.TagOptions(this, 'TagOptions', { allowedValuesForTags }),
      );
    }
    this.products = Object.fromEntries(
      catalog.products.map((product) => [product.deployment, this.addProduct(product, props)]),
    );
    new CfnOutput(this, 'PortfolioId', { value: this.portfolio.portfolioId });
    new CfnOutput(this, 'EventsTopic', {
      value: this.topic.topicArn,
      description: 'Is told of every change of a launched product',
    });
    acknowledgeCatalog(this, this.assets);
  }

  /** By name: the roles need not be there yet, and the portfolio can be shared with accounts that have their own. */
  private letIn(roles: readonly string[]): void {
    roles.forEach((role, index) => {
      new servicecatalog.CfnPortfolioPrincipalAssociation(this, `LaunchableBy${index}`, {
        portfolioId: this.portfolio.portfolioId,
        principalArn: `arn:${this.partition}:iam:::role/${role}`,
        principalType: 'IAM_PATTERN',
      });
    });
  }

  private addProduct(product: CatalogProduct, props: ServiceCatalogStackProps): SasGridProduct {
    const { catalog, deployments, version, recorded, restartConsent } = props;
    const { deployment: name } = product;
    const config = deployments[name]!;
    const scope = new Construct(this, name);
    const template = new SasGridProduct(scope, 'Template', {
      deployment: name,
      version,
      config,
      description: product.description ?? config.description,
      assetBucket: this.assets,
      serverSideEncryption: deployment.ServerSideEncryption.AES_256,
      memoryLimit: 512,
    });
    const earlier = recorded[name] ?? [];
    template.node.addValidation({
      validate: () => problemsOf(name, version, template, earlier, restartConsent),
    });
    const result = new servicecatalog.CloudFormationProduct(scope, 'Product', {
      productName: product.name,
      owner: catalog.portfolio.provider,
      description: product.description ?? config.description,
      supportDescription: catalog.support?.description,
      supportEmail: catalog.support?.email,
      supportUrl: catalog.support?.url,
      productVersions: [
        {
          productVersionName: version,
          cloudFormationTemplate: servicecatalog.CloudFormationTemplate.fromProductStack(template),
        },
        ...earlier
          .filter((each) => each.version !== version)
          .map((each) => ({
            productVersionName: each.version,
            description: 'Earlier version, for products that were launched with it',
            cloudFormationTemplate: servicecatalog.CloudFormationTemplate.fromAsset(each.file),
          })),
      ],
    });
    this.portfolio.addProduct(result);
    this.portfolio.notifyOnStackEvents(result, this.topic);
    this.portfolio.constrainTagUpdates(result, { allow: catalog.tagUpdates ?? false });
    for (const rule of template.rules) this.constrain(result, rule);
    const launch = new LaunchRole(scope, 'Launch', {
      deployment: name,
      product: template,
      earlier: earlier.map(templateOf),
      assetsArn: this.assets.bucketArn,
      topicArn: this.topic.topicArn,
      topicKeyArn: this.topicKey.keyArn,
      keyArns: keysOf(config),
    });
    this.portfolio.setLaunchRole(result, launch.role);
    new CfnOutput(this, `Product-${name}`.replace(/[^A-Za-z0-9]/g, ''), {
      value: result.productId,
      description: product.name,
    });
    return template;
  }

  private constrain(product: servicecatalog.IProduct, { name, when, needs, description }: ProductRule): void {
    this.portfolio.constrainCloudFormationParameters(product, {
      description,
      rule: {
        ruleName: name,
        condition: Fn.conditionEquals(Fn.ref(when.parameter), when.value),
        assertions: [
          { assert: Fn.conditionContains([...needs.oneOf], Fn.ref(needs.parameter)), description },
        ],
      },
    });
  }
}

/** Not every kind of file system has a key of its own. */
const keysOf = (config: DeploymentConfig): string[] =>
  KEYS.flatMap(({ key }) => (config[key] as { readonly encryptionKeyArn?: string })?.encryptionKeyArn ?? []);

/** At the end of the synthesis: only then the template is complete. */
function problemsOf(
  deployment: string,
  version: string,
  product: SasGridProduct,
  earlier: readonly RecordedVersion[],
  consented: boolean,
): string[] {
  if (earlier.length === 0) return [];
  try {
    requireCompatible(deployment, version, product.toTemplate(), earlier, consented);
    return [];
  } catch (error) {
    if (!(error instanceof KeptResourceError)) throw error;
    return [error.message];
  }
}
