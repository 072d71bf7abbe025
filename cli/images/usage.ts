import { PROGRAM } from '../usage';

export const IMAGES_USAGE = `Builds the images that a deployment's hosts are launched from, and records them.

Usage: ${PROGRAM} images DEPLOYMENT [options]

  DEPLOYMENT          the name of a deployment; its stack DEPLOYMENT-images has to be deployed
  --build             build again, for patches; what hosts are launched from does not change by that
  --adopt HOSTS       launch storage, grid or all hosts from the newest image from now on
  --look              only tell what there is
  --record FILE       the record (default: config/DEPLOYMENT.images.json); commit it
  --templates FOLDER  templates that cdk has written there, which name the region (default: as the environment says)
  --profile NAME      the profile of your AWS configuration (default: as AWS_PROFILE says)
  --help              this text

Without options an image that is not recorded is built, and one that is recorded stays. A build that runs is waited
for; to stop waiting does not stop it, and the same command goes on.

The record also has the SHA-256 of each package that the images were built from. Look at what is new in it: from the
next deployment on a build refuses another package in its place.

Examples
  ${PROGRAM} images mine
  ${PROGRAM} images mine --build
  ${PROGRAM} images mine --adopt storage

Exit code: 0 when every image is there; 1 when a build failed; 2 for a wrong option, and where there is no such stack;
3 when --look finds an image that is not built.`;
