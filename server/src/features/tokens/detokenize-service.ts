import { requireAccess } from '../../core/access/require-access.ts';
import { DomainError } from '../../core/errors/domain-error.ts';
import { EvaluationBudget } from '../../core/expressions/evaluation-budget.ts';
import { evaluateReferences } from '../../core/expressions/reference-evaluation.ts';
import { compileReferences, type Reference, type ReferenceText } from '../../core/expressions/reference-text.ts';
import type { Caller } from '../../core/identity/caller.ts';
import type { TokenId } from '../../core/identity/ids.ts';
import { isJsonObject, type JsonValue } from '../../core/json/json-value.ts';
import { parseJson } from '../../core/json/parse-json.ts';
import type { AuditLog } from '../../platform/audit/audit-log.ts';
import { expressionTools } from '../../platform/keyring/expression-tools.ts';
import { joinPath, namingField } from './request-path.ts';
import type { VisibleToken } from './token.ts';
import { tokenEvent } from './token-event.ts';
import { isTokenId } from './token-id.ts';
import { toTokenJson } from './token-json.ts';
import type { TokenPresenter } from './token-presenter.ts';
import type { TokenStore } from './token-store.ts';

const tokensPerRequestMax = 100;
const depthMax = 128;
/** What one request may put out and read, over all of its references. */
const charactersMax = 8 * 1024 * 1024;

/** Puts the values of tokens in the place of their references, as far as the caller may read them. */
export class DetokenizeService {
  readonly #store: TokenStore;
  readonly #presenter: TokenPresenter;
  readonly #audit: AuditLog;

  constructor(parts: { store: TokenStore; presenter: TokenPresenter; audit: AuditLog }) {
    this.#store = parts.store;
    this.#presenter = parts.presenter;
    this.#audit = parts.audit;
  }

  async detokenize(caller: Caller, document: JsonValue): Promise<JsonValue> {
    // By the text itself: equal strings have equal references, wherever they stand.
    const texts = new Map<string, ReferenceText>();
    collectReferences(document, '', texts);
    const ids = new Set([...texts.values()].flatMap(({ tokenIds }) => [...tokenIds]));
    if (ids.size > tokensPerRequestMax) {
      throw new DomainError('validation-failed', `A request refers to at most ${tokensPerRequestMax} tokens.`);
    }
    const tokens = await this.#read(caller, [...ids]);
    const budget = new EvaluationBudget({ outputCharactersMax: charactersMax, workCharactersMax: charactersMax });
    const source = { find: (reference: Reference) => valueOf(reference, tokens), tools: expressionTools, budget };
    const replace = (value: JsonValue, path: string): JsonValue => {
      if (typeof value === 'string') {
        const text = texts.get(value);
        return text === undefined ? value : namingField('', path || 'body', () => evaluateReferences(text, source));
      }
      if (Array.isArray(value)) return value.map((item, index) => replace(item, joinPath(path, String(index))));
      if (!isJsonObject(value)) return value;
      return Object.fromEntries(
        Object.entries(value).map(([key, member]) => [key, replace(member, joinPath(path, key))]),
      );
    };
    return replace(document, '');
  }

  /** All tokens in one query, judged before any is opened, recorded before any value leaves. */
  async #read(caller: Caller, ids: readonly string[]): Promise<Map<string, VisibleToken>> {
    if (ids.length === 0) return new Map();
    const found = await this.#store.findAll(caller.tenantId, ids.filter(isTokenId));
    const unknown = ids.filter((id) => !found.has(id as TokenId));
    if (unknown.length > 0) {
      throw new DomainError(
        'validation-failed',
        `Failed to detokenize some tokens: ${unknown.join(', ')}. Tokens were not found.`,
      );
    }
    const tokens = [...found.values()];
    const transforms = tokens.map((token) => requireAccess(caller.grants, 'token:read', token));
    const [visible] = await Promise.all([
      Promise.all(tokens.map((token, index) => this.#presenter.show(token, transforms[index] ?? 'redact'))),
      Promise.all(tokens.map((token) => this.#audit.append(caller, tokenEvent(token, 'read')))),
    ]);
    return new Map(visible.map((view) => [view.token.id, view]));
  }
}

function collectReferences(value: JsonValue, path: string, texts: Map<string, ReferenceText>): void {
  if (typeof value === 'string') {
    const text = namingField('', path || 'body', () => compileReferences(value));
    if (text.referenceCount > 0) texts.set(value, text);
  } else if (Array.isArray(value)) {
    value.forEach((item, index) => collectReferences(item, joinPath(path, String(index)), texts));
  } else if (isJsonObject(value)) {
    for (const [key, member] of Object.entries(value)) collectReferences(member, joinPath(path, key), texts);
  }
}

/** Data that the caller may not see is null; `token:` stands for the whole token as the caller sees it. */
function valueOf({ kind, tokenId }: Reference, tokens: ReadonlyMap<string, VisibleToken>): JsonValue | undefined {
  const token = tokens.get(tokenId);
  if (token === undefined) return undefined;
  if (kind === 'token') return parseJson(toTokenJson(token), { depthMax });
  return token.data === undefined ? null : parseJson(token.data.reveal(), { depthMax });
}
