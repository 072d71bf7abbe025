import fc from 'fast-check';
import { changes, identityOf, valuesOf } from '../../../lambda/launch-guard/domain';
import { handle } from '../../../lambda/launch-guard/handler';

const LAUNCHED = { Zone: 'us-east-1a', VpcRange: '172.16.0.0/20' };

/** CloudFormation's side: what it keeps of the answers, and how it undoes an update that failed. */
class Stack {
  identity?: string;
  reason = '';

  async send(RequestType: string, Fixed?: unknown): Promise<string> {
    let told: Record<string, string> = {};
    await handle(
      {
        RequestType,
        ResponseURL: 'https://answer.invalid/',
        StackId: 'stack',
        RequestId: 'request',
        LogicalResourceId: 'Guard',
        PhysicalResourceId: this.identity,
        ResourceProperties: { Fixed },
      },
      {
        log: { info: () => undefined, error: () => undefined, metrics: () => undefined },
        answers: {
          put: async (_, body) => {
            told = JSON.parse(body);
          },
        },
      },
    );
    this.reason = told.Reason!;
    if (told.Status === 'SUCCESS' || RequestType === 'Create') this.identity = told.PhysicalResourceId;
    return told.Status!;
  }
}

describe('what is fixed at launch', () => {
  test('stays as it was, however often the product is updated', async () => {
    const stack = new Stack();
    expect(await stack.send('Create', LAUNCHED)).toBe('SUCCESS');
    const identity = stack.identity;
    expect(await stack.send('Update', { ...LAUNCHED })).toBe('SUCCESS');
    expect(stack.identity).toBe(identity);
  });

  test('is refused when it changes, with both values and what to do', async () => {
    const stack = new Stack();
    await stack.send('Create', LAUNCHED);
    expect(await stack.send('Update', { ...LAUNCHED, Zone: 'us-east-1b' })).toBe('FAILED');
    expect(stack.reason).toMatch(/^Zone was 'us-east-1a' at launch and cannot become 'us-east-1b'\. /);
    expect(stack.reason).toContain('Give the value of the launch again');
  });

  test('can be undone: the rollback gives the values of the launch', async () => {
    const stack = new Stack();
    await stack.send('Create', LAUNCHED);
    await stack.send('Update', { ...LAUNCHED, Zone: 'us-east-1b' });
    expect(await stack.send('Update', LAUNCHED)).toBe('SUCCESS');
    expect(await stack.send('Update', { ...LAUNCHED, VpcRange: '10.0.0.0/20' })).toBe('FAILED');
  });

  test('may get company, which is fixed from then on', async () => {
    const stack = new Stack();
    await stack.send('Create', LAUNCHED);
    expect(await stack.send('Update', { ...LAUNCHED, MountPoint: '/sasdata' })).toBe('SUCCESS');
    expect(await stack.send('Update', { ...LAUNCHED, MountPoint: '/other' })).toBe('FAILED');
  });

  test('does not keep the product from being terminated', async () => {
    const stack = new Stack();
    await stack.send('Create', LAUNCHED);
    expect(await stack.send('Delete')).toBe('SUCCESS');
  });

  test('is not lost without being noticed', async () => {
    const stack = new Stack();
    await stack.send('Create', LAUNCHED);
    expect(await stack.send('Update', undefined)).toBe('FAILED');
    stack.identity = 'launched-with:nonsense';
    expect(await stack.send('Update', LAUNCHED)).toBe('FAILED');
  });

  test('a launch without readable values fails', async () => {
    expect(await new Stack().send('Create', 'Zone')).toBe('FAILED');
  });

  test('an event that CloudFormation did not send is ignored', async () => {
    const put = jest.fn();
    const log = { info: () => undefined, error: () => undefined, metrics: () => undefined };
    expect(await handle({ RequestType: 'Update' }, { log, answers: { put } })).toEqual({ did: 'ignored' });
    expect(put).not.toHaveBeenCalled();
  });
});

describe('the physical id', () => {
  const values = fc.dictionary(fc.string({ maxLength: 20 }), fc.string({ maxLength: 20 }), { maxKeys: 5 });

  test('carries any values, in whatever order they come', () => {
    fc.assert(
      fc.property(values, (given) => {
        const reversed = Object.fromEntries(Object.entries(given).reverse());
        expect(valuesOf(identityOf(given))).toEqual({ ...given });
        expect(identityOf(reversed)).toBe(identityOf(given));
        expect(changes(given, given)).toEqual([]);
      }),
    );
  });

  test('that does not fit is refused', () => {
    expect(() => identityOf({ Long: 'x'.repeat(1024) })).toThrow('allowed: up to 1024');
  });
});
