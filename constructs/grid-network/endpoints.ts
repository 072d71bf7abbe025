import { Annotations, aws_ec2 as ec2 } from 'aws-cdk-lib';
import type { IConstruct, IDependable } from 'constructs';
import { invalid } from '../private/validation';
import { type GridNetworkProps, NatKind } from './props';

// What the SSM agent calls: a replaced server is told what to serve through it. Not ec2messages: see docs/adr/0025.
const RECOVERY_SERVICES = [
  ec2.InterfaceVpcEndpointAwsService.SSM,
  ec2.InterfaceVpcEndpointAwsService.SSM_MESSAGES,
];

/** What the endpoints of a network are made from. */
interface EndpointPlace extends IConstruct {
  readonly vpc: ec2.IVpc;
  readonly privateSubnets: ec2.ISubnet[];
  readonly addressesReserved: IDependable;
}

/**
 * The interface endpoints of a network: those that it was asked for, and those without which a host of it reaches
 * nothing.
 */
export class Endpoints {
  private readonly made = new Set<string>();
  private securityGroup?: ec2.SecurityGroup;

  constructor(
    private readonly network: EndpointPlace,
    private readonly props: GridNetworkProps,
    private readonly peers: readonly ec2.IPeer[],
  ) {
    // In an existing VPC the private name of a service may be taken by an endpoint that is there already.
    const recovery = (props.interfaceEndpoints ?? !props.existing) ? RECOVERY_SERVICES : [];
    for (const service of [...recovery, ...(props.additionalInterfaceEndpoints ?? [])]) this.add(service);
    if (props.nat === NatKind.NONE) {
      Annotations.of(network).addWarningV2(
        'cdk-sas-grid:noWayToPackages',
        'nat is none: hosts reach no package repository outside the VPC. Whatever they install has to be in ' +
          'their images, or in a mirror inside the VPC; else the installation never ends.',
      );
    }
  }

  /**
   * Brings the endpoints of services that hosts call, where there is no other way to them. Of an existing network its
   * owner knows.
   */
  require(caller: IConstruct, services: readonly ec2.InterfaceVpcEndpointAwsService[]): void {
    if (this.props.existing || this.props.nat !== NatKind.NONE) return;
    const missing = services.filter(({ shortName }) => !this.made.has(shortName));
    if (missing.length === 0) return;
    if (this.props.interfaceEndpoints === false) {
      const names = missing.map(({ shortName }) => shortName).join(', ');
      const fix = 'Leave interfaceEndpoints out, or name the services in additionalInterfaceEndpoints.';
      const allowed = `endpoints for ${names}, which its hosts call and cannot reach without NAT`;
      throw invalid(caller, 'interfaceEndpoints of the network', false, allowed, fix);
    }
    for (const service of missing) this.add(service);
  }

  private add(service: ec2.InterfaceVpcEndpointAwsService): void {
    // A second endpoint of a service could not have its private name.
    if (this.made.has(service.shortName)) return;
    this.made.add(service.shortName);
    const { vpc, privateSubnets, addressesReserved } = this.network;
    const endpoint = new ec2.InterfaceVpcEndpoint(this.network, `${service.shortName}Endpoint`, {
      vpc,
      service,
      subnets: { subnets: privateSubnets },
      securityGroups: [this.group()],
      open: false,
    });
    // Else the endpoint's interface could take an address that a storage server needs.
    endpoint.node.addDependency(addressesReserved);
  }

  private group(): ec2.SecurityGroup {
    if (this.securityGroup) return this.securityGroup;
    const securityGroup = new ec2.SecurityGroup(this.network, 'EndpointSecurityGroup', {
      vpc: this.network.vpc,
      description: 'SAS Grid: interface endpoints',
      allowAllOutbound: false,
    });
    for (const peer of this.peers) securityGroup.addIngressRule(peer, ec2.Port.tcp(443), 'AWS APIs');
    this.securityGroup = securityGroup;
    return securityGroup;
  }
}
