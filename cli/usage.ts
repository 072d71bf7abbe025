export const PROGRAM = 'npx cdk-sas-grid';

/** A command line that works, for messages. */
export const EXAMPLE = `${PROGRAM} plan --nodes 4 --type i4i.8xlarge --shared 75 --capacity 50TB`;

export const USAGE = `The storage of a SAS Grid on AWS: what it delivers to each core, what it costs, and
whether your account can have it.

Usage: ${PROGRAM} plan [options]             size every storage design for a grid, and recommend one
       ${PROGRAM} compare A.yaml B.yaml      what two configurations of deployments deliver and cost
       ${PROGRAM} preflight DEPLOYMENT       whether a deployment can be deployed to your account
       ${PROGRAM} images DEPLOYMENT          build the images of its hosts in your account
       ${PROGRAM} status NAME                how a deployment is, and what to do next
       ${PROGRAM} stop NAME                  put a deployment to sleep: no server runs, all data stays
       ${PROGRAM} start NAME                 wake it
       ${PROGRAM} logs NAME [HOST]           what it says: logs of all stacks, or the journal of a host
       ${PROGRAM} bundle NAME                what support needs of it, in one archive without secrets
       ${PROGRAM} bench NAME                 measure its storage, and show the verdict
       ${PROGRAM} gameday NAME SLOT          make a storage server fail, after approval
       ${PROGRAM} backup NAME                one set of snapshots of all its volumes, at one moment
       ${PROGRAM} restore NAME --as NEW      lay a set into a new deployment
       ${PROGRAM} <one of these> --help
       ${PROGRAM} --version

Example:
  ${EXAMPLE}

Nothing is deployed. plan and compare need no credentials. preflight, status, logs and bundle read and change nothing,
images starts builds; stop, start, backup, bench and gameday do something in your account, and ask before. restore
writes a configuration.`;
