import { ArnFormat, RemovalPolicy, Stack, Token, Validations } from 'aws-cdk-lib';
import * as iam from 'aws-cdk-lib/aws-iam';
import type * as kms from 'aws-cdk-lib/aws-kms';
import * as s3 from 'aws-cdk-lib/aws-s3';
import * as secretsmanager from 'aws-cdk-lib/aws-secretsmanager';
import { Construct } from 'constructs';
import { keyArnInPolicies, requireUsableKey } from '../private/imported';
import { inlinePolicy } from '../private/inline-policy';
import { checkArguments } from '../private/inputs/check';
import { keepRemovalPolicies } from '../private/last-word';
import { wildcardFinding } from '../private/nag-text';
import { requireRetainedKey } from '../private/retained-key';

/** Properties of `PackageMirror`. */
export interface PackageMirrorProps {
  /**
   * Encrypts the packages and the signing key. It has to outlive them: `RemovalPolicy.RETAIN`.
   *
   * @default - keys of S3 and Secrets Manager
   */
  readonly encryptionKey?: kms.IKey;

  /**
   * The secret with the key that signs packages: an armoured private key of OpenPGP without a passphrase.
   *
   * @default - a new secret; the first build of an image makes the key
   */
  readonly signingKey?: secretsmanager.ISecret;
}

/**
 * Packages for images in your account: fetched once from where they are published, verified, signed with a key of
 * yours. The first build of an image fills it; later builds take everything from it and need no way to the internet.
 *
 * The bucket has versions, and stays when the stack is deleted: images can then be built again as they were.
 */
export class PackageMirror extends Construct {
  /** The packages, by the image they are for. */
  readonly bucket: s3.IBucket;

  /** Holds the key that signs. */
  readonly signingKey: secretsmanager.ISecret;

  private readonly encryptionKey?: kms.IKey;

  constructor(scope: Construct, id: string, props: PackageMirrorProps = {}) {
    ({ props } = checkArguments('PackageMirror', { scope, id, props }));
    super(scope, id);
    const { encryptionKey } = props;
    requireUsableKey(this, encryptionKey);
    this.encryptionKey = encryptionKey;
    this.bucket = this.newBucket(encryptionKey);
    this.signingKey = props.signingKey ?? this.newSecret(encryptionKey);
  }

  private newBucket(encryptionKey: kms.IKey | undefined): s3.Bucket {
    const bucket = new s3.Bucket(this, 'Bucket', {
      encryption: encryptionKey ? s3.BucketEncryption.KMS : s3.BucketEncryption.S3_MANAGED,
      encryptionKey,
      bucketKeyEnabled: encryptionKey && true,
      blockPublicAccess: s3.BlockPublicAccess.BLOCK_ALL,
      objectOwnership: s3.ObjectOwnership.BUCKET_OWNER_ENFORCED,
      enforceSSL: true,
      versioned: true,
      removalPolicy: RemovalPolicy.RETAIN,
    });
    keepRemovalPolicies(bucket.node.defaultChild!);
    if (encryptionKey) requireRetainedKey(encryptionKey, `the packages of ${this.node.path}`, [bucket]);
    Validations.of(bucket).acknowledge({
      id: 'AwsSolutions-S1',
      reason:
        'Only builds of images read and write it, and what it holds is published elsewhere: who did is in ' +
        'CloudTrail, if data events are on.',
    });
    return bucket;
  }

  // Without a value: the CDK's own construct would generate one, which is no key.
  private newSecret(encryptionKey: kms.IKey | undefined): secretsmanager.ISecret {
    const resource = new secretsmanager.CfnSecret(this, 'SigningKey', {
      description: `Signs the packages of ${this.node.path}; made by the first build of an image`,
      kmsKeyId: encryptionKey?.keyArn,
    });
    resource.applyRemovalPolicy(RemovalPolicy.RETAIN);
    keepRemovalPolicies(resource);
    Validations.of(resource).acknowledge({
      id: 'AwsSolutions-SMG4',
      reason: 'Packages that were signed with it stay signed: another key would make them invalid.',
    });
    return secretsmanager.Secret.fromSecretAttributes(this, 'Signing', {
      secretCompleteArn: resource.ref,
      encryptionKey,
    });
  }

  /**
   * Lets a role fill and use what is below a prefix.
   *
   * @internal
   */
  _allow(scope: Construct, role: iam.IRole, prefix: string): void {
    const objects = this.bucket.arnForObjects(`${prefix}/*`);
    const { encryptionKey } = this;
    const policy = inlinePolicy(scope, 'UseMirror', role, [
      new iam.PolicyStatement({
        sid: 'ListPackages',
        actions: ['s3:ListBucket'],
        resources: [this.bucket.bucketArn],
        conditions: { StringLike: { 's3:prefix': [prefix, `${prefix}/*`] } },
      }),
      new iam.PolicyStatement({
        sid: 'KeepPackages',
        actions: ['s3:GetObject', 's3:PutObject'],
        resources: [objects],
      }),
      new iam.PolicyStatement({
        sid: 'Sign',
        actions: ['secretsmanager:GetSecretValue', 'secretsmanager:PutSecretValue'],
        resources: [this.signingKey.secretArn],
      }),
      ...(encryptionKey
        ? [
            new iam.PolicyStatement({
              sid: 'UseTheKey',
              actions: ['kms:Decrypt', 'kms:GenerateDataKey'],
              resources: [keyArnInPolicies(this, encryptionKey)],
            }),
          ]
        : []),
    ]);
    Validations.of(policy).acknowledge({
      id: wildcardFinding(scope, objects),
      reason: 'The packages below the prefix of this image: their names are those of their publishers.',
    });
  }
}

/** What a build may do beside its mirror (managed policy EC2InstanceProfileForImageBuilder, narrowed to its own). */
export function buildRights(scope: Construct, name: string): iam.PolicyStatement[] {
  const stack = Stack.of(scope);
  return [
    new iam.PolicyStatement({
      sid: 'ReadComponents',
      actions: ['imagebuilder:GetComponent'],
      resources: [
        // ARNs of Image Builder have names in small letters.
        stack.formatArn({
          service: 'imagebuilder',
          resource: 'component',
          resourceName: `${Token.isUnresolved(name) ? name : name.toLowerCase()}-*`,
        }),
      ],
    }),
    new iam.PolicyStatement({
      sid: 'FetchTheExecutor',
      actions: ['s3:GetObject'],
      resources: [`arn:${stack.partition}:s3:::ec2imagebuilder*`],
    }),
    new iam.PolicyStatement({
      sid: 'WriteLogs',
      actions: ['logs:CreateLogGroup', 'logs:CreateLogStream', 'logs:PutLogEvents'],
      resources: [
        stack.formatArn({
          service: 'logs',
          resource: 'log-group',
          resourceName: '/aws/imagebuilder/*',
          arnFormat: ArnFormat.COLON_RESOURCE_NAME,
        }),
      ],
    }),
  ];
}
