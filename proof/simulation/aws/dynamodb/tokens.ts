import { ServiceError } from '../errors';

/** A piece of an expression. */
export interface Token {
  readonly kind: 'word' | 'value' | 'symbol' | 'end';
  readonly text: string;
}

const PIECE = /\s*(?:([#A-Za-z_][A-Za-z0-9_]*)|(:[A-Za-z0-9_]+)|(<>|<=|>=|[=<>(),.+-])|(\S))/y;

/** An expression that DynamoDB would not take. */
export function invalidExpression(what: string, text: string): ServiceError {
  return new ServiceError('ValidationException', `Invalid expression: ${what} in: ${text}`);
}

/** Reads an expression from left to right. */
export class Tokens {
  private readonly all: Token[] = [];
  private position = 0;

  constructor(readonly text: string) {
    PIECE.lastIndex = 0;
    let end = 0;
    for (let match = PIECE.exec(text); match !== null; match = PIECE.exec(text)) {
      const [, word, value, symbol, other] = match;
      if (other !== undefined) throw invalidExpression(`syntax error at '${other}'`, text);
      if (word !== undefined) this.all.push({ kind: 'word', text: word });
      else if (value !== undefined) this.all.push({ kind: 'value', text: value });
      else this.all.push({ kind: 'symbol', text: symbol! });
      end = PIECE.lastIndex;
    }
    if (text.slice(end).trim() !== '') throw invalidExpression('syntax error', text);
    this.all.push({ kind: 'end', text: '' });
  }

  peek(ahead = 0): Token {
    return this.all[Math.min(this.position + ahead, this.all.length - 1)]!;
  }

  take(): Token {
    const token = this.peek();
    this.position += 1;
    return token;
  }

  /** Takes the next token if it is this word (in any case) or symbol. */
  accept(text: string): boolean {
    const token = this.peek();
    if (token.kind === 'value' || token.kind === 'end') return false;
    if (token.text.toUpperCase() !== text.toUpperCase()) return false;
    this.position += 1;
    return true;
  }

  expect(text: string): void {
    if (!this.accept(text))
      throw invalidExpression(`'${this.peek().text}' where '${text}' should be`, this.text);
  }
}
