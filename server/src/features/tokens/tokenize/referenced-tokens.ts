import type { Transform } from '../../../core/access/access-rule.ts';
import type { RequestBudget } from '../../../core/budget/request-budget.ts';
import { requireAccess } from '../../../core/access/decide-access.ts';
import { DomainError } from '../../../core/errors/domain-error.ts';
import type { ReferenceSource } from '../../../core/expressions/reference-evaluation.ts';
import { intentMark, type ReferenceUses } from '../../../core/expressions/reference-uses.ts';
import type { KeyCaller } from '../../../core/identity/caller.ts';
import { Sensitive } from '../../../core/identity/sensitive.ts';
import { inMebibytes } from '../../../core/text/byte-size.ts';
import { tokenizeLimits, tokenQueryLimits } from '../../../core/token-limits.ts';
import type { AuditEvent } from '../../../platform/audit/record/audit-event.ts';
import { mapInTurns } from '../../../platform/waiting/turns.ts';
import type { EncryptedDataOpener } from '../../client-keys/index.ts';
import { intentContainers, intentEvent, type StoredIntent, type TokenIntents } from '../intents/index.ts';
import { tokenEvent } from '../model/token-event.ts';
import { type EncryptedPart, encryptedReference, openEncryptedParts, requireUse } from './encrypted-references.ts';
import { OpenedReferences } from './opened-references.ts';
import type { StoredToken } from '../model/token.ts';
import { isTokenId } from '../model/token-id.ts';
import type { TokenPresenter } from '../read/index.ts';
import type { TokenStore } from '../model/token-store.ts';

const { referencedTokensMax } = tokenizeLimits;

/** A token whose value the caller may use, still sealed, with the transform that it is shown through. */
interface JudgedToken {
  readonly token: StoredToken;
  readonly transform: Transform;
  /** The parts of the token that the request refers to. */
  readonly fields: readonly string[];
}

/** A token intent whose value the caller may use, still sealed. */
interface JudgedIntent {
  readonly intent: StoredIntent;
  readonly fields: readonly string[];
}

/** Everything that a request refers to. */
export interface JudgedReferences {
  readonly tokens: readonly JudgedToken[];
  readonly intents: readonly JudgedIntent[];
  readonly encrypted: readonly EncryptedPart[];
}

/** Returns the events of reading what a request refers to. */
export function readEvents({ tokens, intents }: Pick<JudgedReferences, 'tokens' | 'intents'>): AuditEvent[] {
  return [
    ...tokens.map(({ token, transform, fields }) => tokenEvent(token, 'read', { transform, details: { fields } })),
    ...intents.map(({ intent, fields }) => ({
      ...intentEvent('read', intent),
      transform: 'reveal' as const,
      details: { fields },
    })),
  ];
}

interface ReferencedTokensParts {
  readonly store: TokenStore;
  readonly presenter: TokenPresenter;
  readonly intents: TokenIntents;
  readonly encrypted: EncryptedDataOpener;
}

/** Finds and authorizes the tokens and token intents that a request refers to, and opens them afterwards. */
export class ReferencedTokens {
  readonly #parts: ReferencedTokensParts;

  constructor(parts: ReferencedTokensParts) {
    this.#parts = parts;
  }

  /**
   * Finds everything in one query for each kind and authorizes each before any is opened. `encrypted` is what the request
   * itself contains. Without it, the word has no meaning and is the id of a token.
   */
  async find(
    caller: KeyCaller,
    permission: 'token:read' | 'token:use',
    uses: ReferenceUses,
    encrypted: readonly EncryptedPart[] = [],
  ): Promise<JudgedReferences> {
    requireUse(caller, encrypted);
    const isStored = (key: string) => encrypted.length === 0 || key !== encryptedReference;
    const [marked, ids] = partition([...uses.keys()].filter(isStored), (key) => key.startsWith(intentMark));
    if (uses.size > referencedTokensMax) {
      throw new DomainError('validation-failed', `A request refers to at most ${referencedTokensMax} tokens.`);
    }
    if (marked.length > 0 && permission !== 'token:use') {
      throw new DomainError('validation-failed', 'Token intents can be used only through the proxy.');
    }
    const intentIds = marked.map((key) => key.slice(intentMark.length));
    const [tokens, intents] = await Promise.all([
      this.#findTokens(caller, ids),
      this.#parts.intents.findAll(caller.tenantId, intentIds),
    ]);
    const unknown = [
      ...ids.filter((id) => !isTokenId(id) || !tokens.has(id)),
      ...intentIds.filter((id) => !intents.has(id)),
    ];
    if (unknown.length > 0) {
      throw new DomainError(
        'validation-failed',
        `Failed to detokenize some tokens: ${unknown.join(', ')}. Tokens were not found.`,
        { missing: { count: unknown.length, found: tokens.size + intents.size } },
      );
    }
    const fieldsOf = (key: string) => [...(uses.get(key) ?? [])].sort();
    for (const { id, type } of intents.values())
      requireAccess(caller.grants, permission, { id, containers: intentContainers(type) });
    return {
      encrypted: uses.has(encryptedReference) ? encrypted : [],
      tokens: [...tokens.values()].map((token) => ({
        token,
        transform: requireAccess(caller.grants, permission, token),
        fields: fieldsOf(token.id),
      })),
      intents: [...intents.values()].map((intent) => ({ intent, fields: fieldsOf(`${intentMark}${intent.id}`) })),
    };
  }

  /** Opens what was found. The values are kept only while one request is assembled. */
  async open(
    caller: KeyCaller,
    { tokens, intents, encrypted }: JudgedReferences,
    budget: RequestBudget,
  ): Promise<ReferenceSource> {
    const shown = await this.#parts.presenter.showAll(caller, tokens);
    const opened = await mapInTurns(intents, async ({ intent }) => ({
      id: intent.id,
      text: toIntentText(intent, await this.#parts.intents.openWhole(intent)),
    }));
    const text =
      encrypted.length === 0 ? undefined : await openEncryptedParts(this.#parts.encrypted, caller, encrypted);
    return new OpenedReferences(shown, { intents: opened, encrypted: text }, budget);
  }

  async #findTokens(caller: KeyCaller, ids: readonly string[]): Promise<ReadonlyMap<string, StoredToken>> {
    if (ids.length === 0) return new Map();
    const { tokens, isCut } = await this.#parts.store.findAll(caller.tenantId, ids.filter(isTokenId));
    if (!isCut) return tokens;
    throw new DomainError(
      'validation-failed',
      `The tokens that the request refers to hold too much data together (more than ${inMebibytes(tokenQueryLimits.pageBytesMax)}). Refer to fewer of them at a time.`,
      { found: {} },
    );
  }
}

function toIntentText({ id, tenantId, type }: StoredIntent, data: Sensitive<string>): Sensitive<string> {
  const identity = JSON.stringify({ id, tenant_id: tenantId, type });
  return new Sensitive(`${identity.slice(0, -1)},"data":${data.reveal()}}`);
}

function partition<Item>(items: readonly Item[], isFirst: (item: Item) => boolean): [Item[], Item[]] {
  return [items.filter(isFirst), items.filter((item) => !isFirst(item))];
}
