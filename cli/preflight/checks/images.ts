import type { ImageInfo, TypeInfo } from '../aws/port';
import { type Check, type Finding, passed, type Subject } from '../findings';
import type { Hosts, Image } from '../needs/needs';
import { eachPart } from './parts';

/** The images of hosts exist, may be used, and fit the types that boot them. */
export const images: Check = {
  name: 'images',
  run: async (subject) => {
    const wanted = new Map<string, Hosts[]>();
    for (const hosts of subject.needs.hosts) {
      const { id, parameter, asked } = hosts.image;
      const key = id ?? parameter ?? asked ?? '';
      wanted.set(key, [...(wanted.get(key) ?? []), hosts]);
    }
    if (wanted.size === 0) return [passed('there are no hosts')];
    return eachPart([...wanted.values()], (hosts) => lookAt(hosts, subject));
  },
};

/** As the parameter says of an image that a pipeline of the deployment builds (constructs/machine-image). */
const BUILT = /that the pipeline \S+ has built/;

async function lookAt(hosts: readonly Hosts[], subject: Subject): Promise<Finding[]> {
  const [{ image, by }] = hosts as [Hosts];
  const id = await idOf(image, subject);
  if (id === undefined) {
    if (image.asked && BUILT.test(image.asked)) {
      return [passed(`${by}: its image is built first (make images), and recorded`)];
    }
    if (image.parameter === undefined) {
      return [
        { status: 'unchecked', text: `${by}: the image could not be checked: it is known at deployment` },
      ];
    }
    const text = `the parameter ${image.parameter}, which names the image of ${by}, does not exist`;
    return [{ status: 'failed', text, fix: `aws ssm get-parameter --name ${image.parameter}` }];
  }
  const types = [...new Set(hosts.flatMap(({ type }) => type ?? []))];
  const [[info], infos] = await Promise.all([
    subject.aws.images([id]),
    types.length > 0 ? subject.aws.instanceTypes(types) : [],
  ]);
  return info ? judged(info, infos, hosts) : [missing(id, by, subject)];
}

async function idOf(image: Image, { aws }: Subject): Promise<string | undefined> {
  return image.parameter === undefined ? image.id : aws.parameter(image.parameter);
}

function missing(id: string, by: string, { needs }: Subject): Finding {
  const { account, region } = needs.place;
  return {
    status: 'failed',
    text: `${id}, the image of ${by}, does not exist in ${region}, or is not shared with ${account}`,
    fix:
      `its owner shares it: aws ec2 modify-image-attribute --region ${region} --image-id ${id} ` +
      `--launch-permission 'Add=[{UserId=${account}}]'`,
  };
}

function judged(image: ImageInfo, types: readonly TypeInfo[], hosts: readonly Hosts[]): Finding[] {
  const called = `${image.id} (${image.name || 'without a name'}, of ${image.owner})`;
  const problems = [
    ...(image.state === 'available' ? [] : [`it is ${image.state}`]),
    ...types.flatMap((type) => unfit(image, type)),
    ...rootProblems(image, hosts),
  ];
  if (problems.length > 0) {
    const fix = 'name another image in the configuration (key image), or another instance type';
    return problems.map((problem) => ({ status: 'failed', text: `${called}: ${problem}`, fix }));
  }
  if (image.deprecated !== undefined && Date.parse(image.deprecated) < Date.now()) {
    const text = `${called} is deprecated since ${image.deprecated.slice(0, 10)}`;
    return [{ status: 'warning', text, fix: 'name a newer image in the configuration (key image)' }];
  }
  const fitting = types.map(({ type }) => type).join(', ');
  return [passed(`${called} fits ${fitting || 'its hosts'}`)];
}

/** Why a type does not boot an image. */
function unfit(image: ImageInfo, type: TypeInfo): string[] {
  const { architectures, virtualization, bootModes, enaRequired } = type;
  const lacks = (allowed: readonly string[], value: string) => allowed.length > 0 && !allowed.includes(value);
  return [
    ...(lacks(architectures, image.architecture)
      ? [`it is for ${image.architecture}, and ${type.type} has ${architectures.join(' and ')}`]
      : []),
    ...(lacks(virtualization, image.virtualization)
      ? [
          `its virtualization is ${image.virtualization}, and ${type.type} takes ${virtualization.join(' and ')}`,
        ]
      : []),
    // 'uefi-preferred' boots in either mode.
    ...(image.bootMode !== undefined &&
    image.bootMode !== 'uefi-preferred' &&
    lacks(bootModes, image.bootMode)
      ? [`it boots by ${image.bootMode}, and ${type.type} by ${bootModes.join(' and ')}`]
      : []),
    ...(enaRequired && !image.ena ? [`it lacks ENA, without which ${type.type} has no network`] : []),
  ];
}

/** What EC2 refuses: a root device that is smaller than its snapshot. */
function rootProblems(image: ImageInfo, hosts: readonly Hosts[]): string[] {
  const { rootDevice, rootGiB } = image;
  if (rootDevice === undefined || rootGiB === undefined) return [];
  const small = hosts.flatMap(({ by, rootDevices }) =>
    rootDevices
      .filter(({ device, sizeGiB }) => device === rootDevice && sizeGiB !== undefined && sizeGiB < rootGiB)
      .map(({ sizeGiB }) => `its root device has ${rootGiB} GiB, and ${by} asks for ${sizeGiB} GiB`),
  );
  return [...new Set(small)];
}
