import { invalidField } from '../errors/domain-error.ts';
import { isLongerThan } from '../text/code-points.ts';
import { tokenQueryLimits } from '../token-limits.ts';
import { toFieldQuery } from './field-query.ts';
import { invalidQuery } from './invalid-query.ts';
import { QueryLexer } from './query-lexer.ts';
import type { FieldToken, QueryToken } from './query-token.ts';
import type { SearchQuery } from './search-query.ts';

const { queryLengthMax, queryDepthMax } = tokenQueryLimits;

/**
 * Parses the search language, a subset of Lucene's:
 *
 *     query  = all *( ("OR" / "||") all )
 *     all    = unary *( ("AND" / "&&") unary )
 *     unary  = ("NOT" / "!" / "-") unary / "(" query ")" / field ":" value
 *
 * Lucene joins adjacent terms without an operator by a configurable default, which is not visible in the query. Here
 * the operator must be written, so that no search finds more or less than its author intended.
 */
export function parseSearchQuery(text: string): SearchQuery {
  if (isLongerThan(text, queryLengthMax)) {
    throw invalidField('query', `The query must not exceed ${queryLengthMax} characters.`);
  }
  // PostgreSQL accepts no NUL in text. Without this check, the query would fail there as an internal error.
  const nulOffset = text.indexOf('\0');
  if (nulOffset >= 0) throw invalidQuery('Unexpected NUL character', nulOffset);

  return new QueryParser(new QueryLexer(text)).parse();
}

class QueryParser {
  readonly #lexer: QueryLexer;
  #token: QueryToken;

  constructor(lexer: QueryLexer) {
    this.#lexer = lexer;
    this.#token = lexer.next();
  }

  parse(): SearchQuery {
    const query = this.#parseAny(1);
    if (this.#token.kind === 'end') return query;
    const isClose = this.#token.kind === 'close';
    throw invalidQuery(isClose ? 'Unexpected closing parenthesis' : 'Expected AND or OR', this.#token.offset);
  }

  #parseAny(depth: number): SearchQuery {
    return this.#parseOperands('or', () => this.#parseAll(depth));
  }

  #parseAll(depth: number): SearchQuery {
    return this.#parseOperands('and', () => this.#parseUnary(depth));
  }

  #parseOperands(kind: 'and' | 'or', parseOperand: () => SearchQuery): SearchQuery {
    const first = parseOperand();
    if (this.#token.kind !== kind) return first;

    const operands = [first];
    while (this.#token.kind === kind) {
      this.#advance();
      operands.push(parseOperand());
    }
    return { kind, operands };
  }

  #parseUnary(depth: number): SearchQuery {
    const token = this.#token;
    if (depth > queryDepthMax) throw invalidQuery(`Nested deeper than ${queryDepthMax} levels`, token.offset);

    if (token.kind === 'field') return this.#parseField(token);
    if (token.kind === 'not') return this.#parseNot(depth + 1);
    if (token.kind === 'open') return this.#parseGroup(depth + 1);
    throw invalidQuery('Expected a field, NOT or an opening parenthesis', token.offset);
  }

  #parseField(token: FieldToken): SearchQuery {
    const query = toFieldQuery(token);
    this.#advance();
    return query;
  }

  #parseNot(depth: number): SearchQuery {
    this.#advance();
    return { kind: 'not', operand: this.#parseUnary(depth) };
  }

  #parseGroup(depth: number): SearchQuery {
    this.#advance();
    const query = this.#parseAny(depth);
    if (this.#token.kind === 'end') throw invalidQuery('Expected a closing parenthesis', this.#token.offset);
    if (this.#token.kind !== 'close') throw invalidQuery('Expected AND or OR', this.#token.offset);
    this.#advance();
    return query;
  }

  #advance(): void {
    this.#token = this.#lexer.next();
  }
}
