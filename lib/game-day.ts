import { CfnOutput, Duration, type Stack } from 'aws-cdk-lib';
import { GameDay, GameDayClients } from '../constructs';
import type { GameDayConfig } from './config-types';
import type { GridStack } from './grid-stack';
import type { StorageStack } from './storage-stack';

/**
 * A game day for the tiers of a deployment, with the hosts of its grid as clients. It stands in the stack of the grid,
 * which knows both; without a grid in that of the storage, and checks no clients.
 */
export function addGameDay(
  storage: StorageStack,
  grid: GridStack | undefined,
  config: GameDayConfig,
): GameDay {
  const stack: Stack = grid ?? storage;
  const { approvers, minimumApprovals, approvalTimeoutMinutes, recoveryTimeoutMinutes } = config;
  const gameDay = new GameDay(stack, 'GameDay', {
    tiers: storage.sharedFileSystem.tiers ?? [],
    clients:
      grid &&
      GameDayClients.hosts(grid.cluster.servers, {
        mountPoint: grid.mountPoint,
        directory: grid.cluster.lsfDirectory,
        user: 'sas',
      }),
    approvers,
    minimumApprovals,
    approvalTimeout: minutes(approvalTimeoutMinutes),
    recoveryTimeout: minutes(recoveryTimeoutMinutes),
  });
  new CfnOutput(stack, 'GameDayDocument', {
    value: gameDay.documentName,
    description: 'Automation document that makes a storage server fail, after approval',
  });
  new CfnOutput(stack, 'GameDayTopic', {
    value: gameDay.topic.topicArn,
    description: 'Subscribe to it who approves game days and wants to know how they went',
  });
  return gameDay;
}

const minutes = (value?: number): Duration | undefined => (value ? Duration.minutes(value) : undefined);
