const BRAND = Symbol.for('cdk-sas-grid.InvalidInputError');

/**
 * A rejected input: the message says where, what, its value, what is allowed and what to do. The class tells it from a
 * bug: whoever shows it needs no stack trace. Languages other than JavaScript get the message.
 *
 * @jsii ignore
 */
export class InvalidInputError extends Error {
  /** Whether something thrown is one, from this copy of the library or from another one in the same tree. */
  public static isInvalidInputError(error: unknown): error is InvalidInputError {
    return typeof error === 'object' && error !== null && BRAND in error;
  }

  public override readonly name = 'InvalidInputError';

  public constructor(message: string) {
    super(message);
    Object.defineProperty(this, BRAND, { value: true });
  }
}
