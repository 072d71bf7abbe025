import { App } from 'aws-cdk-lib';
import { loadConfig } from '../../../../lib/config';
import { createDeployment } from '../../../../lib/deployment';

// The reference deployment on Lustre, with a hot spare for its object storage servers and without its benchmark. What
// the built-in validation says of it is of no interest here, and takes seconds.
const name = 'sas-grid-lustre';
const app = new App({ builtinCloudFormationValidation: false });
const config = loadConfig(name);
// Nobody builds an image for it.
const storage = { ...config.storage!, image: undefined, oss: { ...config.storage!.oss, hotSpares: 1 } };
createDeployment(app, name, { ...config, storage, benchmark: undefined });
app.synth();
