import { DEPLOYMENTS } from './configs';
import { verifyKeys } from './verify';

verifyKeys(DEPLOYMENTS.filter((name) => !name.startsWith('sas-grid-lustre')));
