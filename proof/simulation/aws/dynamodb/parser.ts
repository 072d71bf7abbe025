import { invalidExpression, Tokens } from './tokens';

/** A place in an item: attribute, then members of maps. Names may be aliases (#name). */
export type Path = readonly string[];

/** Something with a value. */
export type Operand =
  | { readonly is: 'path'; readonly path: Path }
  | { readonly is: 'value'; readonly name: string }
  | { readonly is: 'if_not_exists'; readonly path: Path; readonly otherwise: Operand }
  | { readonly is: 'sum'; readonly left: Operand; readonly right: Operand; readonly minus: boolean };

export type Comparator = '=' | '<>' | '<' | '<=' | '>' | '>=';

export type Condition =
  | { readonly is: 'and' | 'or'; readonly parts: readonly Condition[] }
  | { readonly is: 'not'; readonly part: Condition }
  | { readonly is: 'exists' | 'not-exists'; readonly path: Path }
  | { readonly is: 'begins_with'; readonly path: Path; readonly prefix: Operand }
  | { readonly is: 'compare'; readonly how: Comparator; readonly left: Operand; readonly right: Operand };

/** An update, in DynamoDB's clauses. */
export interface Update {
  readonly set: readonly { readonly path: Path; readonly value: Operand }[];
  readonly remove: readonly Path[];
  readonly add: readonly { readonly path: Path; readonly value: Operand }[];
}

/** An expression with the aliases that it uses, since DynamoDB refuses one that is given and not used. */
export interface Parsed<T> {
  readonly tree: T;
  readonly names: ReadonlySet<string>;
  readonly values: ReadonlySet<string>;
}

const conditions = new Map<string, Parsed<Condition>>();
const updates = new Map<string, Parsed<Update>>();

/**
 * Reads a condition or key condition, once per text (DynamoDB developer guide, "Condition and filter expressions,
 * operators, and functions"). Functions that the functions under test do not use are refused.
 */
export function parseCondition(text: string): Parsed<Condition> {
  return cached(conditions, text, (parser) => parser.condition());
}

/** Reads an update, once per text (DynamoDB developer guide, "Using update expressions in DynamoDB"). */
export function parseUpdate(text: string): Parsed<Update> {
  return cached(updates, text, (parser) => parser.update());
}

function cached<T>(known: Map<string, Parsed<T>>, text: string, read: (parser: Parser) => T): Parsed<T> {
  const before = known.get(text);
  if (before !== undefined) return before;
  const parser = new Parser(text);
  const tree = read(parser);
  parser.end();
  const parsed = { tree, names: parser.names, values: parser.values };
  known.set(text, parsed);
  return parsed;
}

const COMPARATORS: readonly string[] = ['=', '<>', '<', '<=', '>', '>='];

class Parser {
  readonly names = new Set<string>();
  readonly values = new Set<string>();
  private readonly tokens: Tokens;

  constructor(text: string) {
    this.tokens = new Tokens(text);
  }

  end(): void {
    if (this.tokens.peek().kind !== 'end') this.refuse(`unexpected '${this.tokens.peek().text}'`);
  }

  /** OR binds weaker than AND, AND weaker than NOT. */
  condition(): Condition {
    const parts = [this.conjunction()];
    while (this.tokens.accept('OR')) parts.push(this.conjunction());
    return parts.length === 1 ? parts[0]! : { is: 'or', parts };
  }

  update(): Update {
    const set: { path: Path; value: Operand }[] = [];
    const remove: Path[] = [];
    const add: { path: Path; value: Operand }[] = [];
    const seen = new Set<string>();
    while (this.tokens.peek().kind !== 'end') {
      const clause = this.tokens.take().text.toUpperCase();
      if (seen.has(clause)) this.refuse(`the ${clause} section can only be used once`);
      seen.add(clause);
      do {
        if (clause === 'SET') {
          const path = this.path();
          this.tokens.expect('=');
          set.push({ path, value: this.sum() });
        } else if (clause === 'REMOVE') remove.push(this.path());
        else if (clause === 'ADD') add.push({ path: this.path(), value: this.operand() });
        else this.refuse(`the clause ${clause} is not simulated`);
      } while (this.tokens.accept(','));
    }
    if (seen.size === 0) this.refuse('the expression is empty');
    this.refuseOverlap([...set.map((each) => each.path), ...remove, ...add.map((each) => each.path)]);
    return { set, remove, add };
  }

  private conjunction(): Condition {
    const parts = [this.negation()];
    while (this.tokens.accept('AND')) parts.push(this.negation());
    return parts.length === 1 ? parts[0]! : { is: 'and', parts };
  }

  private negation(): Condition {
    if (this.tokens.accept('NOT')) return { is: 'not', part: this.negation() };
    if (this.tokens.accept('(')) {
      const inner = this.condition();
      this.tokens.expect(')');
      return inner;
    }
    if (this.tokens.peek().kind === 'word' && this.tokens.peek(1).text === '(') return this.function();
    const left = this.operand();
    const how = this.tokens.take().text;
    if (!COMPARATORS.includes(how)) this.refuse(`the operator '${how}' is not simulated`);
    return { is: 'compare', how: how as Comparator, left, right: this.operand() };
  }

  private function(): Condition {
    const name = this.tokens.take().text;
    this.tokens.expect('(');
    const path = this.path();
    let found: Condition;
    if (name === 'attribute_exists') found = { is: 'exists', path };
    else if (name === 'attribute_not_exists') found = { is: 'not-exists', path };
    else if (name === 'begins_with') {
      this.tokens.expect(',');
      found = { is: 'begins_with', path, prefix: this.operand() };
    } else return this.refuse(`the function ${name} is not simulated`);
    this.tokens.expect(')');
    return found;
  }

  private sum(): Operand {
    let left = this.operand();
    for (;;) {
      const minus = this.tokens.accept('-');
      if (!minus && !this.tokens.accept('+')) return left;
      left = { is: 'sum', left, right: this.operand(), minus };
    }
  }

  private operand(): Operand {
    const token = this.tokens.peek();
    if (token.kind === 'value') {
      this.tokens.take();
      this.values.add(token.text);
      return { is: 'value', name: token.text };
    }
    if (token.text === 'if_not_exists' && this.tokens.peek(1).text === '(') {
      this.tokens.take();
      this.tokens.expect('(');
      const path = this.path();
      this.tokens.expect(',');
      const otherwise = this.operand();
      this.tokens.expect(')');
      return { is: 'if_not_exists', path, otherwise };
    }
    return { is: 'path', path: this.path() };
  }

  private path(): Path {
    const path: string[] = [];
    do {
      const token = this.tokens.take();
      if (token.kind !== 'word') this.refuse(`'${token.text}' where a name should be`);
      if (token.text.startsWith('#')) this.names.add(token.text);
      path.push(token.text);
    } while (this.tokens.accept('.'));
    return path;
  }

  private refuseOverlap(paths: readonly Path[]): void {
    const texts = paths.map((path) => path.join('.'));
    const clash = texts.find((text, index) =>
      texts.some((other, position) => position !== index && `${text}.`.startsWith(`${other}.`)),
    );
    if (clash !== undefined) this.refuse(`two document paths overlap: ${clash}`);
  }

  private refuse(what: string): never {
    throw invalidExpression(what, this.tokens.text);
  }
}
