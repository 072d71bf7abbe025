import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { copyStatements, keyStatements } from '../../../constructs/operations/copy-rights';

const FILE = join(__dirname, '../../../docs/operations/copy-role.yaml');

interface Written {
  readonly Sid: string;
  readonly Action: string | string[];
  readonly Condition?: { readonly [operator: string]: object };
}

const statements = (): Written[] =>
  parse(readFileSync(FILE, 'utf8'), { logLevel: 'silent' }).Resources.Role.Properties.Policies[0]
    .PolicyDocument.Statement;

// Of another account: the same rights, but that a shared snapshot shows it no tags.
test('the role of another account has the rights that the function has in its own', () => {
  const own = [
    ...copyStatements('Deployment', 'here', 'there', 'source'),
    ...keyStatements(['key'], ['here', 'there']),
  ];
  const found = statements().filter(({ Sid }) => Sid !== 'Look');
  expect(found.map(({ Sid, Action }) => [Sid, [Action].flat()])).toEqual(
    own.map(({ sid, actions }) => [sid, actions]),
  );
  for (const { Sid, Condition = {} } of found.filter((each) => each.Sid !== 'CopyFrom')) {
    const { conditions } = own.find(({ sid }) => sid === Sid)!;
    const keys = (of: object) =>
      Object.entries(of).map(([operator, each]) => [operator, Object.keys(each).sort()]);
    expect(Object.fromEntries(keys(Condition))).toEqual(Object.fromEntries(keys(conditions)));
  }
});
