import type { Source } from '../facts';

/** What the instance type tables rest on. */
export const INSTANCE_TYPE_SOURCES: readonly Source[] = [
  {
    title: 'Amazon EC2 instance types guide: storage optimized instances (instance store, EBS, attachments)',
    reference: 'https://docs.aws.amazon.com/ec2/latest/instancetypes/so.html',
    checked: '2026-11-20',
  },
  {
    title: 'Amazon EBS-optimized instance types (baseline and maximum bandwidth of the other families)',
    reference: 'https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ebs-optimized.html',
    checked: '2026-11-20',
  },
  {
    title: 'Amazon EC2 instance store volumes (disks of C3, I2, M3, M5d, R5d)',
    reference: 'https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/InstanceStorage.html',
    checked: '2026-11-20',
  },
  {
    title: 'EBS volume limits per instance type: shared and dedicated attachments',
    reference: 'https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/volume_limits.html',
    checked: '2026-11-20',
  },
  {
    title: 'Placement groups: types that a cluster placement group accepts',
    reference: 'https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/placement-groups.html',
    checked: '2026-11-20',
  },
  {
    title: 'Karpenter, generated lists of vCPUs, memory, network bandwidth from DescribeInstanceTypes',
    reference: 'https://karpenter.sh/docs/reference/instance-types/',
    checked: '2026-11-20',
  },
  {
    title: 'Amazon VPC CNI, generated list of network interfaces per type',
    reference: 'https://github.com/aws/amazon-vpc-cni-k8s/blob/master/misc/eni-max-pods.txt',
    checked: '2026-11-20',
  },
];
