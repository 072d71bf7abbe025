// The declared inputs of the library's public API, read from its sources, as the table that constructs/private/inputs
// checks arguments with: build/input-table.json. A call is 'Class' (its constructor), 'Class.factory' or
// 'Class#method'. It reads syntax only, which takes a moment; jsii holds the sources to what can be read here.
const {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} = require('node:fs');
const { dirname, join } = require('node:path');

const ROOT = join(__dirname, '..');
const SOURCES = join(ROOT, 'constructs');
const FILE = join(ROOT, 'build', 'input-table.json');

/** Writes the table when it is not there, or older than a source of it. */
function ensureInputTable() {
  if (!existsSync(SOURCES)) return; // the published package carries the table, not its sources
  if (existsSync(FILE)) {
    const made = statSync(FILE).mtimeMs;
    const sources = readdirSync(SOURCES, { recursive: true }).filter((file) => file.endsWith('.ts'));
    if (
      [__filename, ...sources.map((file) => join(SOURCES, file))].every(
        (file) => statSync(file).mtimeMs < made,
      )
    )
      return;
  }
  mkdirSync(dirname(FILE), { recursive: true });
  // Another process may be reading the file: it is replaced in one step.
  const written = `${FILE}.${process.pid}`;
  writeFileSync(written, JSON.stringify(inputTable()));
  renameSync(written, FILE);
}

/** The table, from the sources. */
function inputTable() {
  const ts = require('typescript');
  const table = { structs: {}, enums: {}, classes: {}, calls: {} };
  for (const file of publicFiles(ts, join(SOURCES, 'index.ts'))) {
    for (const statement of parse(ts, file).statements) {
      if (!has(statement, ts.SyntaxKind.ExportKeyword) || isIgnored(statement)) continue;
      if (ts.isEnumDeclaration(statement)) addEnum(ts, table, statement);
      if (ts.isInterfaceDeclaration(statement)) addInterface(ts, table, statement);
      if (ts.isClassDeclaration(statement)) addClass(ts, table, statement);
    }
  }
  return table;
}

const parse = (ts, file) => ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.ES2022);
const has = (node, kind) => (node.modifiers ?? []).some((modifier) => modifier.kind === kind);
const isHidden = (ts, node) =>
  has(node, ts.SyntaxKind.PrivateKeyword) || has(node, ts.SyntaxKind.ProtectedKeyword);
const isIgnored = (node) =>
  (node.jsDoc ?? []).some(({ tags }) => (tags ?? []).some((tag) => tag.tagName.text === 'jsii'));

/** The files that the barrel exports, through the barrels of the folders. */
function publicFiles(ts, file) {
  const exported = parse(ts, file).statements.filter(
    (statement) => ts.isExportDeclaration(statement) && statement.moduleSpecifier,
  );
  if (exported.length === 0) return [file];
  return exported.flatMap(({ moduleSpecifier }) => {
    const path = join(dirname(file), moduleSpecifier.text);
    return publicFiles(ts, existsSync(`${path}.ts`) ? `${path}.ts` : join(path, 'index.ts'));
  });
}

function addEnum(_ts, table, node) {
  table.enums[node.name.text] = Object.fromEntries(
    node.members.map((member) => [member.name.text, member.initializer.text]),
  );
}

/** A struct of jsii, or an interface with behaviour, whose name begins with I and another capital letter. */
function addInterface(ts, table, node) {
  const name = node.name.text;
  const bases = (node.heritageClauses ?? []).flatMap(({ types }) => types.map((type) => textOf(ts, type)));
  if (/^I[A-Z]/.test(name)) {
    table.classes[name] = {
      bases,
      members: node.members.filter((one) => !one.questionToken).map((one) => one.name.text),
    };
    return;
  }
  const members = node.members.map((one) => [one.name.text, typeOf(ts, one.type, one.questionToken)]);
  table.structs[name] = { bases, members: Object.fromEntries(members) };
}

function addClass(ts, table, node) {
  const name = node.name.text;
  const members = { public: [], other: [] };
  const add = (one) => members[isHidden(ts, one) ? 'other' : 'public'].push(one.name.text);
  for (const member of node.members) {
    if (ts.isConstructorDeclaration(member)) {
      for (const one of member.parameters) if (one.modifiers && !one.questionToken) add(one);
      if (!isHidden(ts, member)) table.calls[name] = parametersOf(ts, member);
      continue;
    }
    if (!member.name || !ts.isIdentifier(member.name)) continue;
    const isStatic = has(member, ts.SyntaxKind.StaticKeyword);
    if (!isStatic && !member.questionToken) add(member);
    if (!ts.isMethodDeclaration(member) || isHidden(ts, member) || member.name.text.startsWith('_')) continue;
    table.calls[`${name}${isStatic ? '.' : '#'}${member.name.text}`] = parametersOf(ts, member);
  }
  const bases = (node.heritageClauses ?? []).flatMap(({ types }) => types.map((type) => textOf(ts, type)));
  if (!node.members.some(ts.isConstructorDeclaration)) table.calls[name] = {};
  const shown = members.public.length > 0 ? members.public : members.other;
  table.classes[name] = { bases: bases.filter((base) => /^I[A-Z]/.test(base)), members: shown };
}

const parametersOf = (ts, node) =>
  Object.fromEntries(
    node.parameters.map((one) => [
      one.name.text,
      typeOf(ts, one.type, one.questionToken ?? one.initializer, one),
    ]),
  );

/** A type as text: '?' in front when it can be left out, '[]' or '{}' behind for a list or a map of it. */
function typeOf(ts, node, optional, parameter) {
  return (optional ? '?' : '') + (node ? textOf(ts, node) : inferred(ts, parameter));
}

function textOf(ts, node) {
  if (node.kind === ts.SyntaxKind.StringKeyword) return 'string';
  if (node.kind === ts.SyntaxKind.NumberKeyword) return 'number';
  if (node.kind === ts.SyntaxKind.BooleanKeyword) return 'boolean';
  if (ts.isTypeOperatorNode(node)) return textOf(ts, node.type);
  if (ts.isArrayTypeNode(node)) return `${textOf(ts, node.elementType)}[]`;
  const name = ts.isTypeReferenceNode(node)
    ? node.typeName
    : ts.isExpressionWithTypeArguments(node)
      ? node.expression
      : undefined;
  if (name) return (name.right ?? name.name ?? name).text;
  if (ts.isTypeLiteralNode(node) && ts.isIndexSignatureDeclaration(node.members[0])) {
    return `${textOf(ts, node.members[0].type)}{}`;
  }
  throw new Error(`no input can have the type ${ts.SyntaxKind[node.kind]} at ${node.pos}`);
}

/** The type of a parameter with a default, which says what it is. */
function inferred(ts, { initializer }) {
  if (ts.isNumericLiteral(initializer)) return 'number';
  if (ts.isStringLiteral(initializer)) return 'string';
  if ([ts.SyntaxKind.TrueKeyword, ts.SyntaxKind.FalseKeyword].includes(initializer.kind)) return 'boolean';
  return (initializer.expression ?? initializer).text;
}

module.exports = { ensureInputTable, inputTable, FILE };

if (require.main === module) ensureInputTable();
