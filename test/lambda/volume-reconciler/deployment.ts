import type { TierDeployment } from '../../../proof/simulation/aws/deployment';
import { SETTINGS } from './settings';

const NEVER_SECONDS = 1e9;
const { tier, tierTag, groupName, recoveryTimeoutSeconds } = SETTINGS;
const [tableName, documentName, seededFor] = ['map', 'serve', 'tests'];

/**
 * A tier as the construct deploys it, but for the names, the workflow and the events: the tests say when a pass comes.
 * To synthesize it would take seconds in each test file; test/simulation/plain-deployment.test.ts compares the two.
 */
export const DEPLOYMENT: TierDeployment = {
  tier,
  tierTag,
  groupName,
  tableName,
  documentName,
  stateMachineArn: 'workflow',
  stateMachine: { StartAt: 'Done', States: { Done: { Type: 'Succeed' } } },
  reconcilerArn: 'reconciler',
  seedArn: 'seed',
  reconcilerTimeoutSeconds: 90,
  seedTimeoutSeconds: 300,
  seedEventAgeSeconds: 300,
  hooks: [
    {
      name: SETTINGS.launchHook,
      transition: 'autoscaling:EC2_INSTANCE_LAUNCHING',
      defaultResult: 'ABANDON',
      heartbeatSeconds: 900,
    },
    {
      name: SETTINGS.terminateHook,
      transition: 'autoscaling:EC2_INSTANCE_TERMINATING',
      defaultResult: 'CONTINUE',
      heartbeatSeconds: 900,
    },
  ],
  launches: [{ instanceType: 'm6in.2xlarge', inPlacementGroup: true }],
  document: {
    parameters: {
      slot: { allowedPattern: '^[a-z][a-z0-9-]{0,15}-[0-9]{2,4}$' },
      epoch: { allowedPattern: '^[1-9][0-9]{0,14}$' },
      address: { allowedPattern: '^[0-9]{1,3}(\\.[0-9]{1,3}){3}$' },
      volumes: { allowedPattern: '^vol-[0-9a-f]{8,17}(,vol-[0-9a-f]{8,17})*$' },
      mayFormat: { allowedPattern: '^(true|false)$', default: 'false' },
      finding: { allowedPattern: '^([0-9a-f]{16})?$', default: '' },
      snapshots: { allowedPattern: '^(snap-[0-9a-f]{8,17}(,snap-[0-9a-f]{8,17})*)?$', default: '' },
      executionTimeout: { allowedPattern: '^[1-9][0-9]{1,3}$', default: '600' },
    },
  },
  rules: [],
  prober: {
    arn: 'prober',
    timeoutSeconds: 50,
    everySeconds: NEVER_SECONDS,
    environment: {
      table: tableName,
      document: 'probe',
      stackId: 'stack',
      settings: { tier, tierTag, groupName, program: 'none', slotCount: 2, intervalSeconds: 60, misses: 3 },
    },
    document: { name: 'probe', timeoutSeconds: 45 },
  },
  nodeHealth: {
    arn: 'node-health',
    timeoutSeconds: 100,
    everySeconds: NEVER_SECONDS,
    environment: {
      document: 'ask',
      cleanUpDocument: '',
      settings: { grid: 'grid', servers: { filter: 'instance-id', values: ['none'] }, intervalSeconds: 300 },
    },
    document: { name: 'ask', timeoutSeconds: 45 },
    cutOff: { metric: 'NodesCutOff', threshold: 1, periods: 3, periodSeconds: 300, missingRings: false },
  },
  seedServiceTimeoutSeconds: 300,
  // CloudFormation waits for as long as the tests go on.
  serveServiceTimeoutSeconds: NEVER_SECONDS,
  timeoutSeconds: 3000,
  seededFor,
  recoveryTimeoutSeconds,
};
