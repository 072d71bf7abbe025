/** Namespace of all metrics of the tiers. */
export const METRIC_NAMESPACE = 'CdkSasGrid';

/** Seconds from the failure until the slot was served, as a game day measured it. Dimension `Tier`. */
export const METRIC = 'GameDayRecoverySeconds';
