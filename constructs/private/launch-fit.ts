import {
  type IMachineImage,
  type InstanceType,
  type IPlacementGroup,
  OperatingSystemType,
} from 'aws-cdk-lib/aws-ec2';
import type { IConstruct } from 'constructs';
import { instanceTypeFacts, placementGroupSupport, typesWithInstanceStore } from '../sizing';
import { textsOf } from './inputs/machine-image';
import { invalid, isConcrete } from './validation';

/** What a host of the library is launched from. */
export interface Launch {
  readonly instanceType: InstanceType;
  readonly machineImage: IMachineImage;
  /** Of the image, as the CDK says when it has been asked for it. An image may be asked once only. */
  readonly osType: OperatingSystemType | undefined;
  readonly placementGroup?: IPlacementGroup;
}

/** Amazon Linux before 2023, as its public parameters and its images are named. */
const EARLIER_AMAZON_LINUX = /(^|\/)(amzn2?|al2022)-ami-/;

/** Rejects an image, a type and a placement group that do not go together, or not with the software of the library. */
export function requireFit(
  scope: IConstruct,
  { instanceType, machineImage, osType, placementGroup }: Launch,
): void {
  if (osType === OperatingSystemType.WINDOWS) {
    const fix = 'Choose an image of a Linux that the README lists: the software of the hosts is for Linux.';
    throw invalid(scope, 'machineImage', 'an image of Windows', 'an image of Linux', fix);
  }
  const earlier = textsOf(machineImage).find((text) => EARLIER_AMAZON_LINUX.test(text));
  if (earlier) {
    const fix = 'The software of the hosts does not know it: choose Amazon Linux 2023, for example.';
    throw invalid(scope, 'machineImage', earlier, 'an image of a system that the README lists', fix);
  }
  const name = instanceType.toString();
  if (!isConcrete(name)) return;
  const wanted = architectureOfType(instanceType);
  const given = architectureOfImage(machineImage);
  if (wanted && given && wanted !== given) {
    const fix = `Choose an image for ${wanted}, or a type of ${given}: the host would never start.`;
    throw invalid(
      scope,
      'machineImage',
      `an image for ${given}`,
      `an image for ${wanted}, as ${name} is`,
      fix,
    );
  }
  if (placementGroup && isCluster(placementGroup) && placementGroupSupport(name) === false) {
    const fix = `Use a type such as ${typesWithInstanceStore(name, 2).join(' or ')}, or no placement group.`;
    const what = 'Instance type in the cluster placement group';
    throw invalid(scope, what, name, 'no burstable and no M3 type', fix);
  }
}

type Architecture = 'x86_64' | 'arm64';

function architectureOfType(type: InstanceType): Architecture | undefined {
  const known = instanceTypeFacts(type.toString())?.architecture;
  if (known) return known;
  try {
    return type.architecture as Architecture;
  } catch {
    // The CDK reads it out of the name, and knows not all kinds of names.
    return undefined;
  }
}

/** What the image is for, where that can be told. */
function architectureOfImage(image: IMachineImage): Architecture | undefined {
  const found = textsOf(image)
    .map((text) => /(arm64|aarch64)|(x86_64|amd64)/.exec(text))
    .find((match) => match);
  if (!found) return undefined;
  return found[1] ? 'arm64' : 'x86_64';
}

/** Imported groups do not tell their strategy. Without one EC2 makes a cluster (AWS::EC2::PlacementGroup, Strategy). */
function isCluster(group: IPlacementGroup): boolean {
  const resource = group.node.defaultChild as { readonly strategy?: string } | undefined;
  return resource !== undefined && (resource.strategy ?? 'cluster') === 'cluster';
}
