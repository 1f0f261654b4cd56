import type { RequestBudget } from '../../../core/budget/request-budget.ts';
import type { ApplicationId, TenantId } from '../../../core/identity/ids.ts';
import type { Sensitive } from '../../../core/identity/sensitive.ts';
import type { CvcSealer } from '../../../platform/keyring/sealing/cvc-sealer.ts';
import type { FieldBinding, TenantKeyring } from '../../../platform/keyring/keys/tenant-keyring.ts';
import { noTracer, type Tracer } from '../../../platform/telemetry/tracer.ts';
import { loopPace } from '../../../platform/waiting/tenant-pace.ts';
import { mapInTurns } from '../../../platform/waiting/turns.ts';
import { weighAttributes, weighData, weighTokens } from '../../../platform/waiting/work-weight.ts';
import { toJsonText } from '../../../core/json/json-text.ts';
import { type Metadata, type SealedToken, type StoredToken, tokenBinding } from '../model/token.ts';
import type { TokenDraft } from './token-draft.ts';
import { fingerprintContent, searchIndexValues } from '../model/token-expressions.ts';

/** The owner that a token is sealed for. The application is null if an operator imports the token. */
export interface TokenOwner {
  readonly tenantId: TenantId;
  readonly applicationId: ApplicationId | null;
}

/** A source of tenant keys: the keyring of this process, or the keys that it handed to another thread. */
export interface KeySource {
  forTenant(tenantId: TenantId): Promise<TenantKeyring>;
}

export interface SealOptions {
  readonly hasFingerprints: boolean;
  /** The budget of the request that creates the tokens. Undefined for an operator's import. */
  readonly budget?: RequestBudget;
}

/**
 * Adds everything that needs keys to a draft: the sealed data, the fingerprint and the search terms. No plaintext is
 * passed on from here.
 */
export class TokenSealer {
  readonly #keyring: KeySource;
  readonly #cvcSealer: CvcSealer;
  readonly #tracer: Tracer;

  constructor(parts: { keyring: KeySource; cvcSealer: CvcSealer; tracer?: Tracer }) {
    this.#keyring = parts.keyring;
    this.#cvcSealer = parts.cvcSealer;
    this.#tracer = parts.tracer ?? noTracer;
  }

  /** Seals several drafts and fetches the keys only once. */
  sealAll(owner: TokenOwner, drafts: readonly TokenDraft[], options: SealOptions): Promise<SealedToken[]> {
    const items = drafts.length;
    return this.#tracer.span('seal', { 'strongroom.items': items }, () => this.#sealAll(owner, drafts, options));
  }

  async #sealAll(owner: TokenOwner, drafts: readonly TokenDraft[], options: SealOptions): Promise<SealedToken[]> {
    const keys = await this.#keyring.forTenant(owner.tenantId);
    loopPace.charge(owner.tenantId, weighDrafts(drafts));
    return mapInTurns(drafts, (draft) => this.#seal(owner, draft, keys, options));
  }

  async #seal(
    owner: TokenOwner,
    draft: TokenDraft,
    keys: TenantKeyring,
    { hasFingerprints, budget }: SealOptions,
  ): Promise<SealedToken> {
    const { path, id, version, type, texts, metadata } = draft;
    const scope = { data: draft.data, metadata: metadata ?? {} };
    budget?.spend('searchTerms', draft.expressions.searchIndexes.length + Object.keys(scope.metadata).length);
    const isFingerprinted = hasFingerprints || texts.fingerprintExpression !== undefined;
    const content = isFingerprinted ? await fingerprintContent(path, draft.expressions, scope, budget) : undefined;
    const row = { id, version, type: type.name };
    return {
      tenantId: owner.tenantId,
      id,
      version,
      revision: 0,
      type: type.name,
      data: keys.seal(draft.dataText.reveal(), tokenBinding(row, 'data')),
      cvc: this.#sealCvc(owner, draft, tokenBinding(row, 'cvc')),
      mask: texts.mask === undefined ? null : toJsonText(texts.mask),
      containers: draft.containers,
      metadata,
      searchIndexes: texts.searchIndexes === undefined ? null : JSON.stringify(texts.searchIndexes),
      fingerprint: toFingerprint(keys, type.name, content),
      fingerprintExpression: texts.fingerprintExpression ?? null,
      viewAuthors: draft.viewAuthors,
      isMaskWhole: draft.isMaskWhole,
      terms: uniqueTerms([
        ...searchIndexValues(path, draft.expressions, scope, budget).map((value) =>
          keys.blindIndex('data', value.reveal()),
        ),
        ...metadataTerms(keys, metadata),
      ]),
      expiresAt: draft.expiresAt,
      createdBy: owner.applicationId,
    };
  }

  /** Returns the next revision of a token with the search terms of its new metadata. Its data stays sealed. */
  async revise(
    token: StoredToken,
    attributes: Pick<StoredToken, 'containers' | 'metadata' | 'expiresAt'>,
  ): Promise<SealedToken> {
    const keys = await this.#keyring.forTenant(token.tenantId);
    const [left, entered] = [metadataTerms(keys, token.metadata), metadataTerms(keys, attributes.metadata)];
    loopPace.charge(token.tenantId, weighAttributes({ terms: left.length + entered.length, expressions: 0 }));
    const ofData = token.terms.filter((term) => !left.some((one) => one.equals(term)));
    return { ...token, ...attributes, revision: token.revision + 1, terms: uniqueTerms([...ofData, ...entered]) };
  }

  #sealCvc(owner: TokenOwner, { cvc }: TokenDraft, binding: FieldBinding) {
    if (cvc === undefined) return null;
    const sealed = this.#cvcSealer.seal(cvc.reveal(), { ...binding, tenantId: owner.tenantId });
    return { sealed, tokenVersion: binding.recordVersion };
  }
}

/** Returns null if the expressions find nothing in the data. */
function toFingerprint(keys: TenantKeyring, type: string, content: Sensitive<string> | undefined): string | null {
  return content === undefined || content.reveal() === '' ? null : keys.fingerprint(type, content.reveal());
}

function weighDrafts(drafts: readonly TokenDraft[]): number {
  let [bytes, terms, expressions] = [0, 0, 0];
  for (const { dataText, metadata, expressions: compiled } of drafts) {
    bytes += dataText.reveal().length;
    terms += compiled.searchIndexes.length + Object.keys(metadata ?? {}).length;
    expressions += compiled.mask?.expressionCount ?? 0;
  }
  return weighTokens(drafts.length) + weighData(bytes) + weighAttributes({ terms, expressions });
}

/** Lower-cases keys and values, because metadata is compared without regard to case. */
function metadataTerms(keys: TenantKeyring, metadata: Metadata | null): Buffer[] {
  return Object.entries(metadata ?? {}).map(([key, value]) =>
    keys.blindIndex('metadata', key.toLowerCase(), value.toLowerCase()),
  );
}

function uniqueTerms(terms: readonly Buffer[]): Buffer[] {
  return [...new Map(terms.map((term) => [term.toString('hex'), term])).values()];
}
