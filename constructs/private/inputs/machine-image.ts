import { Stack } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';
import { isConcrete } from '../validation';

/** Why a value of the right type cannot be used. */
export interface Misfit {
  /** What the value is. */
  readonly value: string;
  readonly allowed: string;
  readonly fix: string;
}

// EC2's have 8 or 17 digits ("Resource IDs", read 2026-11); shorter ones stand for an image in tests of apps.
const IMAGE_ID = /^(ami-[0-9a-f]+|resolve:ssm:\S+)$/;

/** Images by region, as `MachineImage.genericLinux` has them, of which EC2 would have or take none. */
export function misfitOfImage(image: object, scope: IConstruct | undefined): Misfit | undefined {
  const { amiMap } = image as { readonly amiMap?: { readonly [region: string]: string } };
  if (!amiMap) return undefined;
  const region = scope && Stack.of(scope).region;
  const here = isConcrete(region) ? region : undefined;
  if (here && !(here in amiMap)) {
    const value = `an image of ${Object.keys(amiMap).join(', ') || 'no region'}`;
    return { value, allowed: `one of the region of the stack, ${here}`, fix: `Add its id in ${here}.` };
  }
  const ids = here ? [amiMap[here]!] : Object.values(amiMap);
  const wrong = ids.find((id) => isConcrete(id) && !IMAGE_ID.test(id));
  if (wrong === undefined) return undefined;
  const allowed = "'ami-' and hexadecimal digits, or 'resolve:ssm:' and the name of a parameter";
  return { value: `'${wrong}'`, allowed, fix: 'EC2 refuses other ids: copy that of the image.' };
}

/**
 * Names by which an image tells what it is: public parameters have it in their names (Amazon Linux, Ubuntu, Debian),
 * look-ups may have it as a filter or in the name. The CDK's interface of images does not tell.
 */
export function textsOf(image: object): string[] {
  const { parameterName, props } = image as {
    readonly parameterName?: unknown;
    readonly props?: {
      readonly parameterName?: unknown;
      readonly name?: unknown;
      readonly filters?: { readonly architecture?: readonly unknown[] };
    };
  };
  return [parameterName, props?.parameterName, props?.name, props?.filters?.architecture?.[0]].filter(
    (text): text is string => typeof text === 'string' && isConcrete(text),
  );
}
