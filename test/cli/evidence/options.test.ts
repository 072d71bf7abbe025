import { parseBench, parseBundle, parseGameDay, parseLogs, sinceOf } from '../../../cli/evidence/options';

test.each([
  ['90s', 90],
  ['30m', 1800],
  ['2h', 7200],
  ['30d', 2_592_000],
])('--since %s is %d seconds', (text, seconds) => expect(sinceOf(text, '1h')).toBe(seconds));

test.each(['0h', '2', 'h', '31d', '-1h', '2 h'])('--since %j is refused, and says what is allowed', (text) =>
  expect(() => sinceOf(text, '1h')).toThrow(
    `--since is '${text}'; allowed: a number with s, m, h or d, at most 30d`,
  ),
);

test('logs takes a host after the deployment, and options between', () => {
  expect(
    parseLogs(['--since', '2h', 'mine', '--region=eu-west-1', 'oss-01', '--filter', 'x y']),
  ).toMatchObject({
    deployment: 'mine',
    region: 'eu-west-1',
    target: 'oss-01',
    sinceSeconds: 7200,
    filter: 'x y',
    follow: false,
  });
});

test.each([
  [() => parseLogs(['mine', 'oss-01', '--follow']), '--follow goes with the logs of the account only'],
  [
    () => parseLogs(['mine', 'oss-01', 'oss-02']),
    'After the deployment stands a host or a slot; given: oss-01 oss-02',
  ],
  [() => parseLogs(['mine', '$(x)']), "'$(x)' is not a host or a slot"],
  [() => parseLogs([]), 'One deployment is needed'],
  [() => parseBundle(['mine', '--id', 'x', '--since', '2h']), 'leave out --host and --since'],
  [() => parseBundle(['mine', '--id', '../x']), "--id is '../x'; allowed"],
  [() => parseBench(['mine', '--follow', '--no-wait']), 'leave one of them out'],
  [() => parseGameDay(['mine']), 'A tier or a slot is needed'],
  [() => parseGameDay(['mine', 'oss', '--failure', 'Burn']), "--failure is 'Burn'; allowed: Terminate, Hang"],
])('what cannot be understood says what to type: %#', (parse, message) => expect(parse).toThrow(message));

test('a game day that runs is watched without a slot', () => {
  expect(parseGameDay(['mine', '--follow'])).toMatchObject({ follow: true, target: undefined });
});
