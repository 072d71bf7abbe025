import { CfnOutput, Lazy } from 'aws-cdk-lib';
import { HostBundle, HostRole } from '../../../constructs/host';
import { anyText } from '../../helpers/arbitraries';
import fc from '../../helpers/fast-check';
import { outcome, tryProperties } from '../../helpers/properties';

interface Role {
  readonly role: HostRole;
  readonly more: HostRole;
  readonly settings: { [key: string]: string };
}

const value = fc.stringMatching(/^[A-Za-z0-9 _.,:@*+=/-]{0,40}$/);

tryProperties<Role>(
  fc.constantFrom(...Object.values(HostRole)).chain((role) =>
    fc.record({
      role: fc.constant(role),
      // Not every pair of roles fits into the user data of one host.
      more: fc.constant(role),
      settings: fc.dictionary(fc.stringMatching(/^[A-Z][A-Z0-9_]{0,20}$/), value, { maxKeys: 6 }),
    }),
  ),
  {
    more: fc.constantFrom(...Object.values(HostRole)),
    settings: fc.oneof(
      fc.dictionary(anyText, anyText, { maxKeys: 3 }),
      fc.dictionary(fc.constantFrom('KEY', 'OTHER'), anyText),
      fc.integer({ min: 10, max: 18 }).map((kibibytes) => ({ LONG: 'x'.repeat(kibibytes * 1024) })),
      fc
        .array(value)
        .map((values) => ({ MANY: values.map((one) => Lazy.string({ produce: () => one })).join(' ') })),
    ),
  },
  { right: 10, wild: 60 },
  ({ role, more, settings }) =>
    outcome((stack) => {
      const bundle = new HostBundle();
      bundle.addRole(role, settings);
      bundle.addRole(more, settings);
      new CfnOutput(stack, 'UserData', { value: bundle.userData().render() });
    }),
);
