import { Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';

/**
 * Condition: a key is used through some services of AWS only, in the region of the scope. In China the domain of
 * services is amazonaws.com.cn; under which of the two names KMS knows them there its developer guide does not say
 * ("Condition keys for AWS KMS", read 2026-11). Nobody but AWS sets it.
 */
export function viaService(
  scope: Construct,
  ...services: string[]
): { readonly StringLike: { [key: string]: string | string[] } } {
  const names = services.map((service) => `${service}.${Stack.of(scope).region}.amazonaws.com*`);
  return { StringLike: { 'kms:ViaService': names.length === 1 ? names[0]! : names } };
}
