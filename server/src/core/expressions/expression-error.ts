import { requestLimits } from '../budget/request-budget.ts';
import { tokenLimits } from '../token-limits.ts';
import { foreignBracesPerTextMax } from './expression-limits.ts';

/** The reasons to reject an expression, either at compile time or when it is applied to a value. */
export type ExpressionReason = keyof typeof sentences;

/** The location of the failing text in a mask: member names and array positions, outermost first. */
export type MaskPath = readonly (string | number)[];

/**
 * A rejected expression. The message is built from the reason and the offset alone: neither the expression, which may
 * contain an HMAC key, nor any value may reach a response or a log.
 */
export class ExpressionError extends Error {
  readonly reason: ExpressionReason;
  readonly offset: number;
  readonly path: MaskPath;

  constructor(reason: ExpressionReason, offset: number, path: MaskPath = []) {
    super(`${sentences[reason]} (at character ${offset}).`);
    this.name = 'ExpressionError';
    this.reason = reason;
    this.offset = offset;
    this.path = path;
  }

  /** Returns the same error with the path of a leaf in a mask. */
  within(path: MaskPath): ExpressionError {
    return new ExpressionError(this.reason, this.offset, path);
  }
}

const sentences = {
  'text-too-long': 'The text of the expression is longer than its limit',
  'expression-too-long': `An expression is longer than ${tokenLimits.expressionLengthMax} characters`,
  'unclosed-expression': 'An expression is opened but not closed',
  'unclosed-quote': 'A quoted argument is not closed',
  'empty-expression': 'An expression is empty',
  'malformed-expression': 'The expression is malformed',
  'path-too-deep': `A path has more than ${tokenLimits.pathStepsMax} steps`,
  'path-as-argument': 'A filter argument cannot be a path',
  'too-many-expressions': `There are more than ${tokenLimits.expressionsMax} expressions`,
  'too-many-references': `There are more than ${requestLimits.references} references to tokens`,
  'too-many-braces': `More than ${foreignBracesPerTextMax} double braces hold no token id`,
  'too-many-filters': `An expression has more than ${tokenLimits.filtersPerExpressionMax} filters`,
  'unknown-filter': 'The filter does not exist',
  'wrong-argument-count': 'The filter has the wrong number of arguments',
  'bad-argument': 'A filter argument is not of the expected kind',
  'bad-json-path': 'The JSONPath is malformed or uses an unsupported selector',
  'bytes-not-encoded': 'hmac must be followed by to_base16 or to_base64',
  'bytes-expected': 'to_base16 and to_base64 must follow hmac',
  'only-members': "In card fields, a reference can only name a token, and a member of it with json: '$.number'",
  'bad-token-id': 'A token reference does not name a token id',
  'unresolved-reference': 'A referenced token is not available',
  'mask-too-deep': `The mask is nested deeper than ${tokenLimits.maskDepthMax} levels`,
  'mask-too-large': `The mask has more than ${tokenLimits.maskValuesMax} values`,
  'plaintext-in-id': 'An id expression would reveal the data',
  'wrong-value': 'The filter cannot be applied to this value',
  'nothing-to-alias': 'The value has no character that can be replaced by an alias',
  'several-matches': 'The JSONPath matches more than one value',
  'output-too-large': 'The result is too large',
  'work-too-large': 'The expression takes too much work to evaluate',
} as const;
