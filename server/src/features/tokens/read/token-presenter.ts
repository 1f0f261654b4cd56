import type { Transform } from '../../../core/access/access-rule.ts';
import { type FingerprintVisibility, isFingerprintShown } from '../../../core/sight/fingerprint-visibility.ts';
import type { Caller } from '../../../core/identity/caller.ts';
import type { TenantId } from '../../../core/identity/ids.ts';
import { Sensitive } from '../../../core/identity/sensitive.ts';
import { toJsonText } from '../../../core/json/json-text.ts';
import type { CvcSealer } from '../../../platform/keyring/sealing/cvc-sealer.ts';
import type { Keyring } from '../../../platform/keyring/keys/keyring.ts';
import type { TenantKeyring } from '../../../platform/keyring/keys/tenant-keyring.ts';
import { noTracer, type Tracer } from '../../../platform/telemetry/tracer.ts';
import { loopPace } from '../../../platform/waiting/tenant-pace.ts';
import { mapInTurns, nextTurn } from '../../../platform/waiting/turns.ts';
import { weighTokens } from '../../../platform/waiting/work-weight.ts';
import { parseSearchIndexes, type StoredToken, tokenBinding, type VisibleToken } from '../model/token.ts';
import { withCode } from '../model/verification-code.ts';
import { lengthAtOnceMax, OpenedToken, type TokenContent } from './opened-token.ts';
import { getTokenType } from '../../../core/token-types/token-type-catalog.ts';

const longBytes = 256 * 1024;

export interface TokenOpener {
  open(token: StoredToken): Promise<OpenedToken>;
}

/** A source of the tenant's setting for fingerprints. */
export interface VisibilitySource {
  get(tenantId: TenantId): Promise<{ readonly fingerprintVisibility: FingerprintVisibility }>;
}

interface TokenPresenterParts {
  readonly keyring: Keyring;
  readonly cvcSealer: CvcSealer;
  readonly settings: VisibilitySource;
  readonly tracer?: Tracer;
}

/** Opens tokens and shows them as a transform allows. This is where sealed data becomes plaintext. */
export class TokenPresenter implements TokenOpener {
  readonly #parts: TokenPresenterParts;
  readonly #tracer: Tracer;

  constructor(parts: TokenPresenterParts) {
    this.#parts = parts;
    this.#tracer = parts.tracer ?? noTracer;
  }

  open(token: StoredToken): Promise<OpenedToken> {
    return this.#tracer.span('open', { 'strongroom.items': 1 }, () => this.#open(token));
  }

  async #open(token: StoredToken): Promise<OpenedToken> {
    const keys = await this.#parts.keyring.forRecord(token.tenantId, token.data);
    const isLong = token.data.length > longBytes;
    // Each part takes milliseconds and cannot be interrupted, so other work can run before and after it.
    if (isLong) await nextTurn();
    const opened = openWith(keys, token);
    if (isLong) await nextTurn();
    return opened;
  }

  /** Returns the card verification code as JSON text, or undefined once it has expired. */
  async openCvc(token: StoredToken): Promise<Sensitive<string> | undefined> {
    const { cvc, tenantId } = token;
    if (cvc === null) return undefined;
    const binding = tokenBinding({ ...token, version: cvc.tokenVersion }, 'cvc');
    const text = await this.#parts.cvcSealer.open(cvc.sealed, { ...binding, tenantId });
    return text === undefined ? undefined : new Sensitive(text);
  }

  /** Shows a token to the caller through the transform that its grant allows. */
  async show(caller: Caller, token: StoredToken, transform: Transform, known?: TokenContent): Promise<VisibleToken> {
    const content = known ?? (showsContent(token, transform) ? await this.#openLoaded(token) : undefined);
    const cvc = transform === 'reveal' ? await this.openCvc(token) : undefined;
    const fingerprint = await this.findFingerprint(caller, token, transform);
    return toVisible(token, transform, { content, cvc, fingerprint });
  }

  /** Shows several tokens one at a time, and lets other requests run in between. */
  showAll(
    caller: Caller,
    tokens: readonly { readonly token: StoredToken; readonly transform: Transform }[],
  ): Promise<VisibleToken[]> {
    if (tokens.length === 0) return Promise.resolve([]);
    loopPace.charge(caller.tenantId, weighTokens(tokens.length));
    return this.#tracer.span('open', { 'strongroom.items': tokens.length }, async () => {
      const keys = await this.#parts.keyring.forTenant(caller.tenantId);
      const { fingerprintVisibility } = await this.#parts.settings.get(caller.tenantId);
      return mapInTurns(tokens, ({ token, transform }) => {
        if (!isShownAtOnce(token, transform, keys)) return this.show(caller, token, transform);
        const content = showsContent(token, transform) ? openWith(keys, token) : undefined;
        const fingerprint = shownFingerprint(caller, token, { transform, fingerprintVisibility });
        return toVisible(token, transform, { content, cvc: undefined, fingerprint });
      });
    });
  }

  /** Returns the fingerprint if a view through this transform shows it to the caller. */
  async findFingerprint(caller: Caller, token: StoredToken, transform: Transform): Promise<string | undefined> {
    if (token.fingerprint === null) return undefined;
    const { fingerprintVisibility } = await this.#parts.settings.get(token.tenantId);
    return shownFingerprint(caller, token, { transform, fingerprintVisibility });
  }

  async #openLoaded(token: StoredToken): Promise<OpenedToken> {
    const opened = await this.open(token);
    if (hasMask(token) || getTokenType(token).derive !== undefined) await opened.load();
    return opened;
  }
}

/** Returns whether the view contains anything derived from the data. Otherwise the data stays sealed. */
function showsContent(token: StoredToken, transform: Transform): boolean {
  if (transform !== 'mask') return transform === 'reveal';
  return hasMask(token) || getTokenType(token).derive !== undefined;
}

function hasMask(token: StoredToken): boolean {
  return token.mask === null ? getTokenType(token).defaultMask !== undefined : token.mask !== 'null';
}

/** Returns whether the token can be shown without waiting, and quickly enough not to block others. */
function isShownAtOnce(token: StoredToken, transform: Transform, keys: TenantKeyring): boolean {
  const hasCode = transform === 'reveal' && token.cvc !== null;
  return token.data.length <= lengthAtOnceMax && !hasCode && keys.canOpen(token.data);
}

function openWith(keys: TenantKeyring, token: StoredToken): OpenedToken {
  return new OpenedToken(token, new Sensitive(keys.open(token.data, tokenBinding(token, 'data'))));
}

function shownFingerprint(
  caller: Caller,
  { fingerprint }: StoredToken,
  { transform, fingerprintVisibility }: { transform: Transform; fingerprintVisibility: FingerprintVisibility },
): string | undefined {
  if (fingerprint === null) return undefined;
  return isFingerprintShown(caller, fingerprintVisibility, transform) ? fingerprint : undefined;
}

function toVisible(
  token: StoredToken,
  transform: Transform,
  {
    content,
    cvc,
    fingerprint,
  }: { content: TokenContent | undefined; cvc: Sensitive<string> | undefined; fingerprint: string | undefined },
): VisibleToken {
  const type = getTokenType(token);
  return {
    token,
    data: toShownData(transform, content, cvc),
    mask: shownMask(token, transform, content),
    searchIndexes: parseSearchIndexes(token) ?? type.defaultSearchIndexes,
    fingerprint,
    fingerprintExpression: token.fingerprintExpression ?? type.defaultFingerprintExpression,
    derived: transform === 'redact' || content === undefined ? undefined : type.derive?.(content.data),
  };
}

function toShownData(
  transform: Transform,
  content: TokenContent | undefined,
  cvc: Sensitive<string> | undefined,
): VisibleToken['data'] {
  if (content === undefined) return undefined;
  switch (transform) {
    case 'redact':
      return undefined;
    case 'mask':
      return content.masked;
    case 'reveal':
      return cvc === undefined ? content.dataText : withCode(content.dataText, cvc);
  }
}

/**
 * Returns the mask to show. A supplied mask is returned as given. A card with the default mask shows the masked data,
 * which contains the last digits and the expiry, so a redacted view has none.
 */
function shownMask(token: StoredToken, transform: Transform, content: TokenContent | undefined): string | undefined {
  if (token.mask !== null) return token.mask === 'null' ? undefined : token.mask;
  const type = getTokenType(token);
  if (token.type === 'card') return transform === 'redact' ? undefined : content?.masked?.reveal();
  return type.defaultMask === undefined ? undefined : toJsonText(type.defaultMask);
}
