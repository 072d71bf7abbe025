import { App, DefaultStackSynthesizer, Stack } from 'aws-cdk-lib';
import { GridNetwork } from '../../../../constructs/grid-network';
import { LustreServerImage } from '../../../../constructs/machine-image';

// A pipeline that builds an image of Lustre servers, as the constructs make it.
const app = new App({ builtinCloudFormationValidation: false });
const stack = new Stack(app, 'LustreImage', {
  synthesizer: new DefaultStackSynthesizer({ generateBootstrapVersionRule: false }),
});
new LustreServerImage(stack, 'Image', { network: new GridNetwork(stack, 'Network') });
app.synth();
