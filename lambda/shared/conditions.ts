import { errorName } from './log';

/**
 * The condition did not hold, or another write of the same items was under way: both mean "look again". A single write
 * is refused as well while a transaction has its item (DynamoDB API reference, UpdateItem,
 * TransactionConflictException).
 */
export function isConditionFailure(error: unknown): boolean {
  if (['ConditionalCheckFailedException', 'TransactionConflictException'].includes(errorName(error)))
    return true;
  if (errorName(error) !== 'TransactionCanceledException') return false;
  const reasons = (error as { CancellationReasons?: { Code?: string }[] }).CancellationReasons ?? [];
  const codes = reasons.map((reason) => reason.Code).filter((code) => code !== undefined && code !== 'None');
  return (
    codes.length > 0 &&
    codes.every((code) => code === 'ConditionalCheckFailed' || code === 'TransactionConflict')
  );
}
