import { AVAILABILITY, DURABILITY } from '../../constructs/sizing/plan';
import { DEFAULT_REGION } from '../../constructs/sizing/plan/wish';
import { EXAMPLE, PROGRAM } from '../usage';

export const PLAN_USAGE = `Sizes every storage design for a grid, shows what each delivers and costs, and recommends
the cheapest.

Usage: ${PROGRAM} plan --nodes N --type TYPE --shared MBPS --capacity SIZE [options]

The grid
  --nodes N           nodes of the grid
  --type TYPE         their EC2 type, i4i.8xlarge for example
  --cores N           physical cores of a node, for a type that is not in the tables (a vCPU of an Intel type is half
                      a core)
  --clients N         hosts that mount the shared space (default: the nodes)

What is wanted
  --shared MBPS       shared space: MB/s for each physical core; the papers want 50 to 75
  --temp MBPS         temporary space on the nodes' own disks: MB/s for each physical core; the papers want 100
                      (default: it is not looked at)
  --capacity SIZE     shared space, with its unit: 50TB, 50TiB, 500GB
  --read-share PART   which part of the bytes is read: 0.7 or 70% (default: 0.5)
  --durability WHAT   ${DURABILITY.join(', ')}: may be lost with a server; survives servers; survives a zone
                      (default: zone)
  --availability WHAT ${AVAILABILITY.join(', ')}: when a server fails the space is filled again; the server
                      is replaced; others serve meanwhile; so too when a zone fails (default: replaced)

What it costs
  --region REGION     default: ${DEFAULT_REGION}
  --hours N           hours that instances run in a month (default: 730, always)

The answer
  --design ID         explain, and write, this design instead of the recommended one
  --json, --csv       for programs
  --write FILE        write the configuration that cdk deploy takes: config/<name>.yaml. Where the recommended design
                      has no reference deployment, the cheapest one that has
  --force             overwrite the file
  --help              this text

Examples
  ${EXAMPLE}
  ${PROGRAM} plan --nodes 4 --type i4i.8xlarge --shared 75 --temp 100 --capacity 50TB --read-share 70%
  ${PROGRAM} plan --nodes 4 --type i4i.8xlarge --shared 75 --capacity 50TB --design lustre-gp3 --write config/mine.yaml
  ${PROGRAM} plan --nodes 4 --type i4i.8xlarge --shared 75 --capacity 50TB --csv > designs.csv

Exit code: 0; 1 when no design gives what is wanted, or the nodes' disks do not; 2 for a wrong option.`;

export const COMPARE_USAGE = `What the storage of two deployments delivers and costs, side by side.

Usage: ${PROGRAM} compare A.yaml B.yaml [options]

  A.yaml, B.yaml      configurations of deployments, as cdk deploy takes them
  --read-share PART   which part of the bytes is read: 0.7 or 70% (default: 0.5)
  --region REGION     with whose prices (default: the region of each, or ${DEFAULT_REGION})
  --hours N           hours that instances run in a month (default: 730, always)
  --json              for programs
  --help              this text

Example
  ${PROGRAM} compare config/sas-grid-lustre.yaml config/mine.yaml

Exit code: 0; 2 for a wrong option, and for a file that is not there or is no configuration.`;
