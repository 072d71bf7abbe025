import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseImages } from '../../../cli/images/options';
import type { Build, ImagesAws } from '../../../cli/images/port';
import { Unchecked } from '../../../cli/preflight/aws/ask';
import { bringImages } from '../../../cli/run-images';
import { currentHostSoftware } from '../../../constructs/host/in-image';
import type { ImageRecord } from '../../../lib/image-record';

const TODAY = { 'cdk-sas-grid:host-software': currentHostSoftware().version };

/** An account with one pipeline; a build that is started goes through its states, one with each look. */
class Account implements ImagesAws {
  readonly builds_: Build[] = [];
  readonly tags: { [id: string]: { [key: string]: string } } = {};
  stack = true;
  states = ['BUILDING', 'TESTING', 'AVAILABLE'];
  reason?: string;
  record = 'lustre.rpm\taa\thttps://example.com/lustre.rpm\tbb\n';

  async pipelines() {
    return this.stack ? { arns: { storage: 'pipeline' }, mirrorBucket: 'mirror' } : undefined;
  }
  async builds() {
    return [...this.builds_].reverse();
  }
  async build(arn: string) {
    const at = this.builds_.findIndex((each) => each.arn === arn);
    const state = this.states.shift()!;
    const imageId = state === 'AVAILABLE' ? `ami-${arn}` : undefined;
    if (imageId) this.tags[imageId] = TODAY;
    this.builds_[at] = { ...this.builds_[at]!, state, imageId, reason: this.reason };
    return this.builds_[at];
  }
  async start() {
    this.begin(`b${this.builds_.length + 1}`, 'PENDING');
    return this.builds_.at(-1)!.arn;
  }
  async log() {
    return ['image-packages: refused'];
  }
  async step() {
    return 'ExecuteComponents';
  }
  async imageTags(imageId: string) {
    return this.tags[imageId];
  }
  async records() {
    return { 'lustre-server/9.7': this.record };
  }

  begin(arn: string, state: string, imageId?: string) {
    this.builds_.push({
      arn,
      name: 'mine',
      version: '1.0.0/1',
      state,
      created: `2026-11-0${this.builds_.length + 1}`,
      imageId,
    });
    if (imageId) this.tags[imageId] = TODAY;
  }
}

let folder: string;
let account: Account;
let text: string;
const file = () => join(folder, 'mine.images.json');
const recorded = (): ImageRecord => JSON.parse(readFileSync(file(), 'utf8'));

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'images-'));
  account = new Account();
  text = '';
});
afterEach(() => rmSync(folder, { recursive: true }));

// What is waited for comes at once.
jest.mock('node:timers/promises', () => ({ setTimeout: async () => {} }));

async function images(...args: string[]): Promise<number> {
  const screen = { write: (more: string) => (text += more) };
  const options = parseImages(['mine', '--record', file(), ...args]);
  return bringImages(options, account, { out: screen, err: screen, env: {} });
}

test('an image that is not there is built, and recorded with its software and its packages', async () => {
  expect(await images()).toBe(0);
  expect(recorded().images.storage).toMatchObject({ imageId: 'ami-b1', software: currentHostSoftware() });
  expect(recorded().packages).toEqual({
    'lustre-server/9.7': [
      { file: 'lustre.rpm', sha256: 'aa', address: 'https://example.com/lustre.rpm', storedSha256: 'bb' },
    ],
  });
  expect(text).toMatch(/building\n.*testing\n.*available\n/s);
  expect(text).toContain('1 package for the first time: look at them');
});

test('one that is recorded stays, whatever is built meanwhile, until it is adopted', async () => {
  await images();
  account.begin('b2', 'AVAILABLE', 'ami-b2');
  expect(await images()).toBe(0);
  expect(recorded().images.storage).toMatchObject({ imageId: 'ami-b1', newer: { imageId: 'ami-b2' } });
  await images('--adopt', 'storage');
  expect(recorded().images.storage).toMatchObject({ imageId: 'ami-b2' });
  expect(recorded().images.storage?.newer).toBeUndefined();
});

test('--build builds again, and changes no host', async () => {
  await images();
  account.states = ['BUILDING', 'AVAILABLE'];
  await images('--build');
  expect(account.builds_).toHaveLength(2);
  expect(recorded().images.storage).toMatchObject({ imageId: 'ami-b1', newer: { imageId: 'ami-b2' } });
});

test('a build that runs already is waited for: to begin again starts no second one', async () => {
  account.begin('b1', 'BUILDING');
  expect(await images()).toBe(0);
  expect(account.builds_).toHaveLength(1);
});

test('one that was built before anybody recorded it is taken', async () => {
  account.begin('b1', 'AVAILABLE', 'ami-b1');
  expect(await images()).toBe(0);
  expect(account.builds_).toHaveLength(1);
  expect(recorded().images.storage?.imageId).toBe('ami-b1');
});

test('a build that fails is told with its reason, and changes nothing of what is recorded', async () => {
  await images();
  account.states = ['BUILDING', 'FAILED'];
  account.reason = 'step Packages: kmod-lustre-2.17.0-1.el9.x86_64.rpm is not what was recorded';
  expect(await images('--build')).toBe(1);
  expect(text).toContain(
    'storage: step Packages: kmod-lustre-2.17.0-1.el9.x86_64.rpm is not what was recorded',
  );
  expect(text).toMatch(
    / {4}image-packages: refused\nIts log: .* \/aws\/imagebuilder\/mine, stream 1.0.0\/1\n/,
  );
  expect(recorded().images.storage?.imageId).toBe('ami-b1');
});

test('a recorded image that is gone is built anew, and it is said', async () => {
  await images();
  account.builds_.length = 0;
  delete account.tags['ami-b1'];
  account.states = ['AVAILABLE'];
  account.start = async () => {
    account.begin('b9', 'PENDING');
    return 'b9';
  };
  expect(await images()).toBe(0);
  expect(text).toContain('ami-b1, which is recorded, is gone');
  expect(recorded().images.storage?.imageId).toBe('ami-b9');
});

test('an image of an earlier release of this library is recorded without the files of today', async () => {
  account.begin('b1', 'AVAILABLE', 'ami-b1');
  account.tags['ami-b1'] = { 'cdk-sas-grid:host-software': 'another' };
  await images();
  expect(recorded().images.storage).toEqual({ imageId: 'ami-b1', built: '2026-11-01' });
});

test('a build is waited for while AWS refuses calls as too many; a right that is missing ends the wait', async () => {
  const build = account.build.bind(account);
  const refused = [new Unchecked('too many'), new Unchecked('too many')];
  account.build = async (arn) => {
    const error = refused.shift();
    if (error) throw error;
    return build(arn);
  };
  expect(await images()).toBe(0);
  refused.push(new Unchecked('the right is missing', 'imagebuilder:GetImage'));
  account.states = ['AVAILABLE'];
  await expect(images('--build')).rejects.toThrow('the right is missing');
});

test('--look starts nothing and writes nothing', async () => {
  expect(await images('--look')).toBe(3);
  expect(account.builds_).toEqual([]);
  expect(existsSync(file())).toBe(false);
});

test.each([
  [['--adopt', 'some'], /--adopt is 'some'; allowed: storage, grid, all/],
  [['--look', '--build'], /--look changes nothing/],
])('%p is refused', (args, message) => {
  expect(() => parseImages(['mine', ...args])).toThrow(message);
});

test('where there is no stack, or no folder, what to do is said', async () => {
  account.stack = false;
  await expect(images()).rejects.toThrow(/no stack mine-images. Deploy it first/);
  account.stack = true;
  const options = parseImages(['mine', '--record', join(folder, 'none', 'x.json')]);
  const screen = { write: () => true };
  await expect(bringImages(options, account, { out: screen, err: screen, env: {} })).rejects.toThrow(
    /--record/,
  );
  writeFileSync(file(), '');
});
