import { opener } from '../../proof/kit/browser';

test.each([
  ['a desktop', { DISPLAY: ':0' }, 'linux', true, 'xdg-open'],
  ['Wayland', { WAYLAND_DISPLAY: 'wayland-0' }, 'linux', true, 'xdg-open'],
  ['a Mac', {}, 'darwin', true, 'open'],
  ['a server', {}, 'linux', true, undefined],
  ['a log', { DISPLAY: ':0' }, 'linux', false, undefined],
  ['continuous integration', { DISPLAY: ':0', CI: 'true' }, 'linux', true, undefined],
] as const)('on %s', (_where, env, platform, isTTY, command) => {
  expect(opener(env, platform, isTTY)).toBe(command);
});
