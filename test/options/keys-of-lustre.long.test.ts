import { DEPLOYMENTS } from './configs';
import { verifyKeys } from './verify';

// In a file of its own, for a worker of its own: these take half of the time.
verifyKeys(DEPLOYMENTS.filter((name) => name.startsWith('sas-grid-lustre')));
