import { type Check, passed } from '../findings';

/** What `cdk bootstrap` has made is there, and new enough. */
export const bootstrap: Check = {
  name: 'bootstrap',
  run: async ({ needs, aws }) => {
    const { bootstrap: wanted, place } = needs;
    if (!wanted) return [passed('the stacks need no bootstrap')];
    const found = await aws.parameter(wanted.parameter);
    const fix = `npx cdk bootstrap aws://${place.account}/${place.region}`;
    if (found === undefined) {
      return [
        { status: 'failed', text: `${place.account}/${place.region} is not bootstrapped for the CDK`, fix },
      ];
    }
    if (!(Number(found) >= wanted.version)) {
      const text = `the bootstrap is of version ${found}; version ${wanted.version} or newer is needed`;
      return [{ status: 'failed', text, fix }];
    }
    return [passed(`version ${found}; ${wanted.version} is needed`)];
  },
};
