import { Aspects, CfnResource, type CustomResource, Stack } from 'aws-cdk-lib';
import { Construct, type IConstruct } from 'constructs';
import { FixedValues } from '../../constructs/private/fixed-values';

// After host software may have been put into S3, which is decided by an aspect too.
const AFTER_HOST_SOFTWARE = 950;

const FIX =
  'Changing it would make CloudFormation replace what holds data, or what the hosts know by its address. ' +
  'Give the value of the launch again, or launch another product and copy the data.';

/**
 * Refuses an update of a launched product that changes a parameter which is fixed at launch. Service Catalog and
 * CloudFormation's rules know nothing of the values before. Everything that refers to such a parameter depends on the
 * guard: the update fails before anything is touched, and its rollback finds everything as it was.
 */
export class LaunchGuard extends Construct {
  /**
   * @param fixed the values by the name of their parameter
   */
  public constructor(scope: Construct, id: string, fixed: { [parameter: string]: string }) {
    super(scope, id);
    const guard = new FixedValues(this, 'Fixed').add('AtLaunch', fixed, FIX);
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
