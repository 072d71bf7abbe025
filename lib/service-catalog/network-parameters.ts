import { CfnCondition, type CfnParameter, aws_ec2 as ec2, Fn, type Stack } from 'aws-cdk-lib';
import { WIDEST_ACCESS_PREFIX } from '../../constructs/grid-network/checks';
import { contains, parseCidr, prefixLength, type Range } from '../../constructs/grid-network/cidr';
import { invalid } from '../../constructs/private/validation';
import { VPC_PREFIX_LENGTHS } from '../../constructs/sizing';
import type { DeploymentConfig, NetworkConfig } from '../config-types';
import type { ProductParameter } from './parameter';

const BYTE = '(25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';
const ADDRESS = `${BYTE}(\\.${BYTE}){3}`;
const DEFAULT_RANGES = {
  vpcCidr: '172.16.0.0/20',
  publicSubnetCidr: '172.16.0.0/22',
  privateSubnetCidr: '172.16.4.0/24',
};

// Fn::Cidr gives that many ranges at most (CloudFormation template reference, "Fn::Cidr").
const MOST_RANGES = 256;

/** Where a product is: its zone and its range of addresses. */
export function networkParameters({ network = {} }: DeploymentConfig): ProductParameter[] {
  return [
    zone(network),
    vpcRange(network),
    ...(network.nat === 'instance' ? [natLaunchTemplate(network)] : []),
  ];
}

/**
 * Its name is the only one of its kind in the region, and the same for whatever was launched before it was asked for.
 */
function natLaunchTemplate(network: NetworkConfig): ProductParameter {
  return {
    name: 'NatLaunchTemplateName',
    group: 'Network',
    label: "Name of the NAT instance's launch template",
    change: 'refused',
    definition: {
      type: 'String',
      default: network.natLaunchTemplateName ?? 'NatInstanceLaunchTemplate',
      allowedPattern: '[a-zA-Z0-9().\\-/_]{3,125}',
      constraintDescription: "3 to 125 letters, digits, '(', ')', '.', '-', '/' and '_'",
      description: 'Another one for each product with a NAT instance that is launched in the region.',
    },
    configure: (config, { valueAsString }) => withNetwork(config, { natLaunchTemplateName: valueAsString }),
  };
}

/** Without a name the zone would be the account's first one at each update: it is asked for. */
function zone(network: NetworkConfig): ProductParameter {
  return {
    name: 'Zone',
    group: 'Network',
    label: 'Availability Zone',
    change: 'refused',
    definition: {
      type: 'AWS::EC2::AvailabilityZone::Name',
      default: network.availabilityZone,
      description: 'The one zone of all servers and volumes; it has to offer the instance types.',
    },
    configure: (config, { valueAsString }) => withNetwork(config, { availabilityZone: valueAsString }),
  };
}

function vpcRange(network: NetworkConfig): ProductParameter {
  const { vpcCidr, publicSubnetCidr, privateSubnetCidr } = { ...DEFAULT_RANGES, ...network };
  const vpc = rangeOf('vpcCidr', vpcCidr);
  const shortest = VPC_PREFIX_LENGTHS.shortest;
  const longest = prefixLength(vpc);
  const prefixes = Array.from({ length: longest - shortest + 1 }, (_, index) => shortest + index);
  const subnets = [publicSubnetCidr, privateSubnetCidr].map((text) =>
    indexWithin(vpc, rangeOf('subnet', text)),
  );
  return {
    name: 'VpcRange',
    group: 'Network',
    label: 'Range of the VPC',
    change: 'refused',
    definition: {
      type: 'String',
      default: vpcCidr,
      allowedPattern: `${ADDRESS}/(${prefixes.join('|')})`,
      constraintDescription:
        `an IPv4 range from /${shortest} to /${longest} that starts at its first address, such as ` +
        `10.20.0.0/${longest}`,
      description:
        'The addresses of the new VPC, not in use in networks that it is to be connected with. The public ' +
        `subnet is the ${ordinal(subnets[0]!.index)} /${subnets[0]!.prefix} of it, the private subnet the ` +
        `${ordinal(subnets[1]!.index)} /${subnets[1]!.prefix}.`,
    },
    configure: (config, { valueAsString }) => {
      const [publicSubnet, privateSubnet] = subnets.map(({ index, prefix }) =>
        Fn.select(index, Fn.cidr(valueAsString, index + 1, String(32 - prefix))),
      );
      return withNetwork(config, {
        vpcCidr: valueAsString,
        publicSubnetCidr: publicSubnet,
        privateSubnetCidr: privateSubnet,
      });
    },
  };
}

/** Which one of the ranges of its size a subnet is within the VPC, so that it is at the same place in another VPC. */
function indexWithin(vpc: Range, subnet: Range): { index: number; prefix: number } {
  const index = (subnet.first - vpc.first) / subnet.size;
  const prefix = prefixLength(subnet);
  if (contains(vpc, subnet) && index < MOST_RANGES) return { index, prefix };
  const allowed = `a range inside the VPC's, one of the first ${MOST_RANGES} of its size`;
  throw invalid(undefined, 'A subnet of a product', `number ${index + 1} of its size`, allowed, 'Move it.');
}

function rangeOf(what: string, text: string): Range {
  const range = parseCidr(text);
  if (range) return range;
  throw invalid(undefined, what, text, 'an IPv4 range such as 172.16.4.0/24', 'Correct the range.');
}

const ordinal = (index: number): string => ['first', 'second', 'third'][index] ?? `${index + 1}th`;

const withNetwork = (config: DeploymentConfig, network: NetworkConfig): DeploymentConfig => ({
  ...config,
  network: { ...config.network, ...network },
});

/** Who may open the monitoring page of Lustre; nobody while it is empty. */
export function webAccess(): ProductParameter {
  const prefixes = Array.from(
    { length: 33 - WIDEST_ACCESS_PREFIX },
    (_, index) => WIDEST_ACCESS_PREFIX + index,
  );
  const range = `an IPv4 range from /${WIDEST_ACCESS_PREFIX} to /32`;
  return {
    name: 'WebAccessFrom',
    group: 'Operation',
    label: 'Who may open the monitoring page',
    change: 'in-place',
    definition: {
      type: 'String',
      default: '',
      allowedPattern: `|${ADDRESS}/(${prefixes.join('|')})`,
      constraintDescription: `${range}, such as that of your company, or nothing`,
      description: 'The range that may open the monitoring page of the file system. Nothing: nobody.',
    },
    configure: (config, { valueAsString }) => withNetwork(config, { webAccessFrom: [valueAsString] }),
    apply: onlyWhenGiven,
  };
}

/** The rules of the load balancer's group are there only when a range is given. */
function onlyWhenGiven(product: Stack, parameter: CfnParameter): void {
  const given = new CfnCondition(product, 'HasWebAccess', {
    expression: Fn.conditionNot(Fn.conditionEquals(parameter, '')),
  });
  for (const group of product.node.findAll()) {
    if (!(group instanceof ec2.CfnSecurityGroup)) continue;
    const rules = product.resolve(group.securityGroupIngress) as object[] | undefined;
    const reference = JSON.stringify({ Ref: product.resolve(parameter.logicalId) });
    if (!rules?.some((rule) => JSON.stringify(rule).includes(reference))) continue;
    group.addPropertyOverride('SecurityGroupIngress', {
      'Fn::If': [product.resolve(given.logicalId), rules.map(asInTemplates), { Ref: 'AWS::NoValue' }],
    });
  }
}

/** The CDK writes the names of properties small until it writes a template. */
const asInTemplates = (rule: object): object =>
  Object.fromEntries(
    Object.entries(rule).map(([key, value]) => [key[0]!.toUpperCase() + key.slice(1), value]),
  );
