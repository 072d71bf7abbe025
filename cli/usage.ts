export const PROGRAM = 'npx cdk-sas-grid';

/** A command line that works, for messages. */
export const EXAMPLE = `${PROGRAM} plan --nodes 4 --type i4i.8xlarge --shared 75 --capacity 50TB`;

export const USAGE = `The storage of a SAS Grid on AWS: what it delivers to each core, what it costs, and
whether your account can have it.

Usage: ${PROGRAM} plan [options]             size every storage design for a grid, and recommend one
       ${PROGRAM} compare A.yaml B.yaml      what two configurations of deployments deliver and cost
       ${PROGRAM} preflight DEPLOYMENT       whether a deployment can be deployed to your account
       ${PROGRAM} images DEPLOYMENT          build the images of its hosts in your account
       ${PROGRAM} stop NAME                  put a deployment to sleep: no server runs, all data stays
       ${PROGRAM} start NAME                 wake it
       ${PROGRAM} backup NAME                one set of snapshots of all its volumes, at one moment
       ${PROGRAM} restore NAME --as NEW      lay a set into a new deployment
       ${PROGRAM} <one of these> --help
       ${PROGRAM} --version

Example:
  ${EXAMPLE}

Nothing is deployed. plan and compare need no credentials. preflight reads and changes nothing, images starts builds;
stop, start and backup do something in your account, and ask before.`;
