/** Names the proof's own calls in the log of API calls, so that they are not counted as the recovery's. */
export const OWN_AGENT = 'sas-grid-demo';
