/** Names in the volume map that the constructs and the functions share. */

/**
 * The attribute by which DynamoDB deletes an item (its time to live, seconds since 1970). Only recoveries have it; the
 * lease has an attribute `expires`, which is another thing.
 */
export const TIME_TO_LIVE = 'deleteAfter';

/** The partition of a tier's recoveries, apart from its rows, which every pass reads. No tier can have this name. */
export const historyKey = (tier: string): string => `${tier}#recoveries`;
