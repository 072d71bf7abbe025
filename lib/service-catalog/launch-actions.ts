import { DATA_ACTIONS } from './launch-actions-data';
import { EC2_ACTIONS } from './launch-actions-ec2';
import { SERVICE_ACTIONS } from './launch-actions-services';
import type { ActionTable } from './type-actions';

/**
 * What CloudFormation does with a resource of each type that products have: the permissions that its handlers name in
 * their schemas (AWS CloudFormation registry, "handlers"), and what the calls need beyond (AWS Service Authorization
 * Reference). Reads of EC2 are in the role once for all. Compared with the documentation on 2026-11-21; a type that is
 * not here fails the test, not the launch.
 */
export const LAUNCH_ACTIONS: ActionTable = { ...DATA_ACTIONS, ...EC2_ACTIONS, ...SERVICE_ACTIONS };
