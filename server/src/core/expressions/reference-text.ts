import { ExpressionError, type ExpressionReason } from './expression-error.ts';
import { requestLimits } from '../budget/request-budget.ts';
import { isLongerThan } from '../text/code-points.ts';
import { tokenLimits } from '../token-limits.ts';
import { foreignBracesPerTextMax } from './expression-limits.ts';
import { type AppliedFilter, type FilterChain, parseFilterChain } from './filter-chain.ts';
import {
  expressionEnd,
  findStop,
  isExpressionTooLong,
  requireExpressionLength,
  stopTable,
  TextCursor,
} from './text-cursor.ts';

/**
 * `{{ <id> }}` stands for a token's data, `{{ token: <id> }}` for the whole token, and `{{ token_intent: <id> }}` for a
 * whole token intent.
 */
export interface Reference {
  readonly kind: 'data' | 'token' | 'intent';
  readonly tokenId: string;
  readonly filters: FilterChain;
  readonly offset: number;
}

export interface ReferenceText {
  readonly segments: readonly (string | Reference)[];
  readonly referenceCount: number;
}

export interface ReferenceOptions {
  /**
   * How to treat double braces that contain no token id: another template language, or random bytes in an upload.
   * `refuse` (the default) rejects them, `keep` leaves them as text. After an id, the rest must be valid in either
   * case: a mistyped filter is never forwarded.
   */
  readonly foreignBraces?: 'refuse' | 'keep';
  /** The number of references that the request may still contain, if they are counted across several texts. */
  readonly referencesMax?: number;
  /** True if references can only name a token and select a member of it, so that none computes from a value. */
  readonly isSelectOnly?: boolean;
}

/** Finds the token references in a text of any length. The length limit applies to each reference, not to the text. */
export function compileReferences(text: string, options: ReferenceOptions = {}): ReferenceText {
  const { foreignBraces = 'refuse', referencesMax = requestLimits.references, isSelectOnly = false } = options;
  const segments: (string | Reference)[] = [];
  let referenceCount = 0;
  let foreignCount = 0;
  let literalStart = 0;

  for (let open = findOpening(text, 0); open !== -1; ) {
    const head = readHead(text, open);
    if (typeof head === 'string') {
      // The `keep` path throws no exceptions, because a megabyte of braces would create half a million of them.
      if (foreignBraces === 'refuse') throw new ExpressionError(head, open);
      if (foreignCount === foreignBracesPerTextMax) throw new ExpressionError('too-many-braces', open);
      foreignCount += 1;
      open = findOpening(text, open + 2);
      continue;
    }
    if (referenceCount === referencesMax) throw new ExpressionError('too-many-references', open);
    if (open > literalStart) segments.push(text.slice(literalStart, open));
    const cursor = new TextCursor(text, head.end, expressionEnd(text, open));
    const { kind, tokenId } = head;
    const filters = parseFilterChain(cursor);
    if (isSelectOnly && !filters.every(selectsMember)) throw new ExpressionError('only-members', open);
    segments.push({ kind, tokenId, filters, offset: open });
    requireExpressionLength(text, open, cursor.at);
    referenceCount += 1;
    literalStart = cursor.at;
    open = findOpening(text, literalStart);
  }
  if (literalStart < text.length || text === '') segments.push(text.slice(literalStart));
  return { segments, referenceCount };
}

/** Returns true for `json` with a path that names a single location. With a wildcard, it would fail for some values. */
function selectsMember({ path }: AppliedFilter): boolean {
  return path !== undefined && path.every(({ kind }) => kind !== 'wildcard');
}

/** Characters that a token id cannot contain, and that therefore end it. */
const tokenIdStops = stopTable('#/\\+?[]|&=%<>{}^');
const prefixes = [
  { prefix: 'token:', kind: 'token' },
  { prefix: 'token_intent:', kind: 'intent' },
] as const;

/** Finds the next opening braces. In a longer run of braces, the last two open the reference. */
function findOpening(text: string, from: number): number {
  let open = text.indexOf('{{', from);
  while (open !== -1 && text.charCodeAt(open + 2) === 0x7b) open += 1;
  return open;
}

interface Head {
  readonly kind: Reference['kind'];
  readonly tokenId: string;
  readonly end: number;
}

/**
 * Reads the beginning of a reference. It allocates nothing until it finds the end of an id, because most openings in
 * hostile text have none.
 */
function readHead(text: string, open: number): Head | ExpressionReason {
  const bound = expressionEnd(text, open);
  const end = findStop(text, tokenIdStops, open + 2, bound);
  const isEnded = text.startsWith('|', end) || (text.startsWith('}}', end) && end + 2 <= bound);
  if (end === bound) return bound < text.length ? 'expression-too-long' : 'unclosed-expression';
  if (!isEnded) return 'bad-token-id';
  if (text.startsWith('}}', end) && isExpressionTooLong(text, open, end + 2)) return 'expression-too-long';

  const named = text.slice(open + 2, end).trim();
  const found = prefixes.find(({ prefix }) => named.startsWith(prefix));
  const tokenId = found === undefined ? named : named.slice(found.prefix.length).trim();
  if (tokenId === '') return 'empty-expression';
  if (isLongerThan(tokenId, tokenLimits.idLengthMax)) return 'bad-token-id';
  return { kind: found?.kind ?? 'data', tokenId, end };
}
