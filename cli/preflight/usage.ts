import { PROGRAM } from '../usage';

export const PREFLIGHT_USAGE = `Looks whether a deployment can be deployed to your account, before anything is made.

Usage: ${PROGRAM} preflight DEPLOYMENT [options]

  DEPLOYMENT          the name of a deployment, as cdk takes it with -c deployment=DEPLOYMENT; in an application of
                      your own the name of a stack, or what the names of its stacks begin with
  --templates FOLDER  templates that 'cdk synth' has written there (default: they are made now, in a folder that is
                      removed afterwards)
  --profile NAME      the profile of your AWS configuration (default: as AWS_PROFILE says)
  --json              for programs
  --help              this text

Checked against what the templates need: credentials, account and region; the version of the bootstrap; whether zone
and region offer the instance types; quotas of vCPUs, volumes, addresses, VPCs and rules, with what is in use; images;
endpoint services; keys that exist already; ranges of addresses; states of stacks, and names that are taken. It also
says the price a month.

It only reads. What it cannot find out is told as 'not checked', with the right that is missing.

Examples
  ${PROGRAM} preflight sas-grid-lustre
  ${PROGRAM} preflight mine --templates cdk.out --json

Exit code: 0 when it can be deployed; 1 when something would fail; 2 for a wrong option, and for templates that cannot
be made or read; 3 when nothing is known to fail, but something could not be checked.`;
