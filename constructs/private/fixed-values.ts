import { CustomResource, Duration } from 'aws-cdk-lib';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { bundledFunction } from './bundled-function';

/** Properties of `FixedValues`. */
export interface FixedValuesProps {
  /**
   * Encrypts the function's logs.
   *
   * @default - the key of CloudWatch Logs
   */
  readonly encryptionKey?: IKey;

  /**
   * A function that serves these resources already (`lambda/volume-map-resource`).
   *
   * @default - a new one
   */
  readonly servedBy?: IFunction;
}

/**
 * Makes a deployment fail that changes what must stay as it was deployed, before anything that depends on it is
 * touched. Synthesis cannot see what is deployed; CloudFormation can.
 */
export class FixedValues extends Construct {
  private readonly function: IFunction;

  constructor(scope: Construct, id: string, props: FixedValuesProps = {}) {
    super(scope, id);
    this.function =
      props.servedBy ??
      bundledFunction(this, 'Function', 'fixed-properties', props.encryptionKey, {
        description: `Refuses to change what is fixed of ${scope.node.path}`,
        timeout: Duration.seconds(30),
        memorySize: 128,
      });
  }

  /**
   * @param values by a name of letters, as users know it; a list may grow or shrink at its end, and keeps the order of
   * what it has
   * @param fix what to do instead of the change, as a sentence
   * @returns what the resources that rest on the values must depend on
   */
  add(id: string, values: { [name: string]: string | string[] }, fix: string): CustomResource {
    return new CustomResource(this, id, {
      serviceToken: this.function.functionArn,
      resourceType: 'Custom::SasGridFixedValues',
      serviceTimeout: Duration.minutes(5),
      properties: { Values: values, Fix: fix },
    });
  }
}
