import { errorName } from './log';

/** The condition did not hold, or (in a transaction) another write of the same items was under way: both mean "look again". */
export function isConditionFailure(error: unknown): boolean {
  if (errorName(error) === 'ConditionalCheckFailedException') return true;
  if (errorName(error) !== 'TransactionCanceledException') return false;
  const reasons = (error as { CancellationReasons?: { Code?: string }[] }).CancellationReasons ?? [];
  const codes = reasons.map((reason) => reason.Code).filter((code) => code !== undefined && code !== 'None');
  return (
    codes.length > 0 &&
    codes.every((code) => code === 'ConditionalCheckFailed' || code === 'TransactionConflict')
  );
}
