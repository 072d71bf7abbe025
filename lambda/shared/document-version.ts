/**
 * The version of a document that commands run: the newest, which an update of the stack has made. Without it Systems
 * Manager takes the default one, and users of CloudFormation have seen updates that succeeded and left the default
 * where it was.
 *
 * @see https://github.com/aws-cloudformation/cloudformation-coverage-roadmap/issues/2539
 */
export const NEWEST = '$LATEST';
