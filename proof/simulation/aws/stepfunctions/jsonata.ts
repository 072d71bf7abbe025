import { SimulationError } from '../errors';

/** What `$states` is in an expression. */
export interface States {
  readonly input: unknown;
  readonly context: unknown;
}

type Value = (states: States) => unknown;

const compiled = new Map<string, Value>();

/**
 * The value of a JSONata expression between `{%` and `%}`, of the part of the language that the workflow uses: paths
 * into `$states`, numbers, texts, `$toMillis`, + - *, comparisons, and, or (https://docs.jsonata.org/overview).
 * Anything else is refused.
 */
export function jsonata(text: string, states: States): unknown {
  let value = compiled.get(text);
  if (value === undefined) {
    const inner = /^\{%(.*)%\}$/s.exec(text.trim())?.[1];
    if (inner === undefined) throw new SimulationError(`${text} is no JSONata expression`);
    value = new Compiler(inner).whole();
    compiled.set(text, value);
  }
  return value(states);
}

const PIECE = /\s*(?:(\d+(?:\.\d+)?)|"([^"]*)"|(\$?[A-Za-z_][A-Za-z0-9_]*)|(!=|<=|>=|[=<>+*().-]))/y;

/** Operators by how strongly they bind, the weakest first (JSONata, "Operator precedence"). */
const LEVELS: readonly (readonly string[])[] = [
  ['or'],
  ['and'],
  ['=', '!=', '<', '<=', '>', '>='],
  ['+', '-'],
  ['*'],
];

class Compiler {
  private readonly pieces: string[] = [];
  private position = 0;

  constructor(private readonly text: string) {
    PIECE.lastIndex = 0;
    let end = 0;
    for (let match = PIECE.exec(text); match !== null; match = PIECE.exec(text)) {
      const [, , quoted] = match;
      this.pieces.push(quoted === undefined ? match[0].trim() : `"${quoted}`);
      end = PIECE.lastIndex;
    }
    if (text.slice(end).trim() !== '')
      throw new SimulationError(`JSONata '${text.slice(end)}' is not simulated`);
  }

  whole(): Value {
    const value = this.level(0);
    if (this.position < this.pieces.length) this.refuse();
    return value;
  }

  private level(index: number): Value {
    const operators = LEVELS[index];
    if (operators === undefined) return this.factor();
    let left = this.level(index + 1);
    while (operators.includes(this.pieces[this.position] ?? '')) {
      left = operation(this.pieces[this.position++]!, left, this.level(index + 1));
    }
    return left;
  }

  private factor(): Value {
    const piece = this.pieces[this.position++] ?? '';
    if (/^\d/.test(piece)) return () => Number(piece);
    if (piece.startsWith('"')) return () => piece.slice(1);
    if (piece === '(') {
      const value = this.level(0);
      this.expect(')');
      return value;
    }
    if (piece === '$toMillis') {
      this.expect('(');
      const time = this.level(0);
      this.expect(')');
      return (states) => {
        const found = time(states);
        return found === undefined ? undefined : Date.parse(String(found));
      };
    }
    if (piece === '$states') return this.path();
    return this.refuse();
  }

  private path(): Value {
    const names: string[] = [];
    while (this.pieces[this.position] === '.') {
      names.push(this.pieces[this.position + 1]!);
      this.position += 2;
    }
    return (states) => {
      let value: unknown = states;
      for (const name of names) value = (value as { [name: string]: unknown } | null | undefined)?.[name];
      return value;
    };
  }

  private expect(piece: string): void {
    if (this.pieces[this.position++] !== piece) this.refuse();
  }

  private refuse(): never {
    throw new SimulationError(
      `JSONata '${this.text}' is not simulated at '${this.pieces[this.position - 1] ?? ''}'`,
    );
  }
}

function operation(operator: string, left: Value, right: Value): Value {
  if (operator === 'or') return (states) => Boolean(left(states)) || Boolean(right(states));
  if (operator === 'and') return (states) => Boolean(left(states)) && Boolean(right(states));
  return (states) => {
    const a = left(states);
    const b = right(states);
    if (operator === '=') return a !== undefined && b !== undefined && a === b;
    if (operator === '!=') return a !== undefined && b !== undefined && a !== b;
    // What is missing makes the whole operation missing, which counts as false.
    if (a === undefined || b === undefined) return undefined;
    const x = Number(a);
    const y = Number(b);
    switch (operator) {
      case '<':
        return x < y;
      case '<=':
        return x <= y;
      case '>':
        return x > y;
      case '>=':
        return x >= y;
      case '+':
        return x + y;
      case '-':
        return x - y;
      default:
        return x * y;
    }
  };
}
