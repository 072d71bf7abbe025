import { Match, Template } from 'aws-cdk-lib/assertions';
import { ConfigError } from '../../../lib/config';
import { createCatalog } from '../../../lib/service-catalog/catalog';
import { loadCatalog, parseCatalog } from '../../../lib/service-catalog/catalog-config';
import { testApp } from '../../helpers/app';

const MINIMAL = `
portfolio: { name: SAS, provider: Platform team }
launchableBy: [Users]
products:
  - { deployment: sas-grid-fsx, name: On FSx }
`;

function messageOf(text: string): string {
  try {
    parseCatalog(text, 'config/catalogs/mine.yaml');
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as Error).message;
  }
  throw new Error('the configuration was accepted');
}

describe('a rejected catalog', () => {
  test.each([
    [
      'somebody who may launch',
      MINIMAL.replace('launchableBy: [Users]', ''),
      "the file lacks the key 'launchableBy' (the IAM roles whose users may launch the products, by name)",
    ],
    [
      'a role by its name',
      MINIMAL.replace('[Users]', '["arn:aws:iam::111122223333:role/Users"]'),
      'the name of an IAM role, with its path if it has one',
    ],
    [
      'a product',
      MINIMAL.replace(/products:[\s\S]*/, 'products: []'),
      'products is []; allowed: must NOT have fewer than 1 items',
    ],
    [
      'known keys',
      MINIMAL.replace('name: On FSx', 'name: On FSx, size: 3'),
      "products.0 has the unknown key 'size'; allowed: deployment, name, description",
    ],
    [
      'a different name for each product',
      `${MINIMAL}  - { deployment: sas-grid-nfs, name: On FSx }\n`,
      "two products have the name 'On FSx'; allowed: a different one for each",
    ],
  ])('says that it lacks %s', (_, text, message) => {
    expect(messageOf(text)).toContain(message);
  });

  test('of which there is no file names those that there are', () => {
    expect(() => loadCatalog('nothing')).toThrow(
      /There is no configuration for the catalog 'nothing'; there are: service-catalog/,
    );
    expect(() => loadCatalog('../secret')).toThrow(ConfigError);
  });
});

describe('a catalog of one product', () => {
  const synthesize = (text: string, account?: string) => {
    const app = testApp();
    const stack = createCatalog(app, 'mine', parseCatalog(text, 'mine.yaml'), {
      account,
      region: account && 'us-east-1',
      versions: '/nonexistent',
    });
    return {
      stack,
      template: Template.fromStack(stack),
      messages: app.synth().getStackByName('mine').messages,
    };
  };

  test('has all that its file says', () => {
    const { template } = synthesize(
      `${MINIMAL}version: '7'\nassetBucketName: my-products\nnotificationEmail: ops@example.com\ntagUpdates: true\n` +
        'tags: { Owner: me }\ntagOptions: { CostCenter: [a, b] }\n' +
        'support: { email: help@example.com, url: "https://example.com", description: Ask us }\n',
      '111122223333',
    );
    template.hasResourceProperties('AWS::ServiceCatalog::CloudFormationProduct', {
      Name: 'On FSx',
      Owner: 'Platform team',
      SupportEmail: 'help@example.com',
      SupportUrl: 'https://example.com',
      SupportDescription: 'Ask us',
      ProvisioningArtifactParameters: [Match.objectLike({ Name: '7' })],
    });
    template.hasResourceProperties('AWS::S3::Bucket', { BucketName: 'my-products' });
    template.hasResourceProperties('AWS::SNS::Subscription', {
      Protocol: 'email',
      Endpoint: 'ops@example.com',
    });
    template.hasResourceProperties('AWS::ServiceCatalog::ResourceUpdateConstraint', {
      TagUpdateOnProvisionedProduct: 'ALLOWED',
    });
    template.hasResourceProperties('AWS::ServiceCatalog::TagOption', { Key: 'CostCenter', Value: 'b' });
    template.hasResourceProperties('AWS::SNS::Topic', { Tags: [{ Key: 'Owner', Value: 'me' }] });
  });

  test('is synthesized without an account, with the advice to name a bucket', () => {
    const { template, messages } = synthesize(MINIMAL);
    template.hasResourceProperties('AWS::S3::Bucket', { BucketName: 'products-mine' });
    expect(messages.map(({ entry }) => String(entry.data)).join()).toContain(
      'or assetBucketName, before you deploy',
    );
  });
});
