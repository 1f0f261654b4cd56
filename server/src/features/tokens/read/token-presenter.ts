import { parseSearchIndexes } from '../model/stored-search-indexes.ts';
import type { Transform } from '../../../core/access/access-rule.ts';
import { type FingerprintVisibility, isFingerprintShown } from '../../../core/sight/fingerprint-visibility.ts';
import { ExpressionError } from '../../../core/expressions/expression-error.ts';
import type { Caller } from '../../../core/identity/caller.ts';
import type { TenantId } from '../../../core/identity/ids.ts';
import { Sensitive } from '../../../core/identity/sensitive.ts';
import { storedDepthMax } from '../../../core/json/json-limits.ts';
import { toJsonText } from '../../../core/json/json-text.ts';
import type { JsonValue } from '../../../core/json/json-value.ts';
import { parseJson, parseJsonSteps } from '../../../core/json/parse-json.ts';
import type { CvcSealer } from '../../../platform/keyring/sealing/cvc-sealer.ts';
import type { Keyring } from '../../../platform/keyring/keys/keyring.ts';
import type { TenantKeyring } from '../../../platform/keyring/keys/tenant-keyring.ts';
import { noTracer, type Tracer } from '../../../platform/telemetry/tracer.ts';
import { loopPace } from '../../../platform/waiting/tenant-pace.ts';
import { inTurns, mapInTurns, nextTurn } from '../../../platform/waiting/turns.ts';
import { weighTokens } from '../../../platform/waiting/work-weight.ts';
import type { StoredToken, VisibleToken } from '../model/token.ts';
import { tokenBinding } from '../model/token-sealer.ts';
import { evaluateTokenMask, findMask } from '../model/token-expressions.ts';
import { getTokenType } from '../../../core/token-types/token-type-catalog.ts';

/** Longer data is taken apart over several turns of the event loop. */
const lengthAtOnceMax = 16 * 1024;
const longBytes = 256 * 1024;

/** What a view of a token is made of. A draft, whose parts are known already, serves as well as an opened token. */
export interface TokenContent {
  /** Without the card verification code. */
  readonly dataText: Sensitive<string>;
  readonly data: Sensitive<JsonValue>;
  /** JSON text of the data as masked views show it; undefined where they show none. */
  readonly masked: Sensitive<string> | undefined;
}

/** The plaintext of a stored token; taken apart and masked only when somebody looks inside. */
export class OpenedToken implements TokenContent {
  readonly dataText: Sensitive<string>;
  readonly #token: StoredToken;
  #data: Sensitive<JsonValue> | undefined;
  #masking: { readonly masked: Sensitive<string> | undefined } | undefined;

  constructor(token: StoredToken, dataText: Sensitive<string>) {
    this.#token = token;
    this.dataText = dataText;
  }

  /** Call before `data` and `masked`, which would otherwise take large data apart all at once. */
  async load(): Promise<void> {
    const text = this.dataText.reveal();
    if (text.length > lengthAtOnceMax)
      this.#data ??= new Sensitive(await inTurns(parseJsonSteps(text, { depthMax: storedDepthMax })));
  }

  get data(): Sensitive<JsonValue> {
    this.#data ??= new Sensitive(parseJson(this.dataText.reveal(), { depthMax: storedDepthMax }));
    return this.#data;
  }

  get masked(): Sensitive<string> | undefined {
    this.#masking ??= { masked: this.#mask() };
    return this.#masking.masked;
  }

  #mask(): Sensitive<string> | undefined {
    try {
      const mask = findMask(this.#token, getTokenType(this.#token));
      return mask === undefined ? undefined : new Sensitive(toJsonText(evaluateTokenMask(mask, this.data).reveal()));
    } catch (error) {
      // A mask was evaluated before it was stored. Should a later version refuse one, it hides the data: a list must
      // not fail because of one token in it.
      if (error instanceof ExpressionError) return undefined;
      throw error;
    }
  }
}

/** Opens tokens, and nothing else. */
export interface TokenOpener {
  open(token: StoredToken): Promise<OpenedToken>;
}

/** Where the presenter learns what a tenant has decided about fingerprints. */
export interface VisibilitySource {
  get(tenantId: TenantId): Promise<{ readonly fingerprintVisibility: FingerprintVisibility }>;
}

/** Opens tokens and shows them the way a transform allows. Plaintext begins here. */
export class TokenPresenter implements TokenOpener {
  readonly #keyring: Keyring;
  readonly #cvcSealer: CvcSealer;
  readonly #settings: VisibilitySource;
  readonly #tracer: Tracer;

  constructor(parts: { keyring: Keyring; cvcSealer: CvcSealer; settings: VisibilitySource; tracer?: Tracer }) {
    this.#keyring = parts.keyring;
    this.#cvcSealer = parts.cvcSealer;
    this.#settings = parts.settings;
    this.#tracer = parts.tracer ?? noTracer;
  }

  open(token: StoredToken): Promise<OpenedToken> {
    return this.#tracer.span('open', { 'strongroom.items': 1 }, () => this.#open(token));
  }

  async #open(token: StoredToken): Promise<OpenedToken> {
    const keys = await this.#keyring.forRecord(token.tenantId, token.data);
    const isLong = token.data.length > longBytes;
    // Each part takes milliseconds, and none can be left in the middle: others get their turn before and after.
    if (isLong) await nextTurn();
    const opened = openWith(keys, token);
    if (isLong) await nextTurn();
    return opened;
  }

  /** The card verification code as JSON text, for as long as it lives. */
  async openCvc(token: StoredToken): Promise<Sensitive<string> | undefined> {
    const { cvc, tenantId } = token;
    if (cvc === null) return undefined;
    const binding = tokenBinding({ ...token, version: cvc.tokenVersion }, 'cvc');
    const text = await this.#cvcSealer.open(cvc.sealed, { ...binding, tenantId });
    return text === undefined ? undefined : new Sensitive(text);
  }

  /** A token as this caller sees it through the transform that its grant decides. */
  async show(caller: Caller, token: StoredToken, transform: Transform, known?: TokenContent): Promise<VisibleToken> {
    const content = known ?? (showsContent(token, transform) ? await this.#openLoaded(token) : undefined);
    const cvc = transform === 'reveal' ? await this.openCvc(token) : undefined;
    const fingerprint = await this.findFingerprint(caller, token, transform);
    return toVisible(token, transform, { content, cvc, fingerprint });
  }

  /** Several tokens, one after the other, with other requests in between. */
  showAll(
    caller: Caller,
    tokens: readonly { readonly token: StoredToken; readonly transform: Transform }[],
  ): Promise<VisibleToken[]> {
    if (tokens.length === 0) return Promise.resolve([]);
    loopPace.charge(caller.tenantId, weighTokens(tokens.length));
    return this.#tracer.span('open', { 'strongroom.items': tokens.length }, async () => {
      const keys = await this.#keyring.forTenant(caller.tenantId);
      const { fingerprintVisibility } = await this.#settings.get(caller.tenantId);
      return mapInTurns(tokens, ({ token, transform }) => {
        if (!isShownAtOnce(token, transform, keys)) return this.show(caller, token, transform);
        const content = showsContent(token, transform) ? openWith(keys, token) : undefined;
        const fingerprint = shownFingerprint(caller, token, { transform, fingerprintVisibility });
        return toVisible(token, transform, { content, cvc: undefined, fingerprint });
      });
    });
  }

  /** The fingerprint, if a view through this transform shows it to the caller. */
  async findFingerprint(caller: Caller, token: StoredToken, transform: Transform): Promise<string | undefined> {
    if (token.fingerprint === null) return undefined;
    const { fingerprintVisibility } = await this.#settings.get(token.tenantId);
    return shownFingerprint(caller, token, { transform, fingerprintVisibility });
  }

  async #openLoaded(token: StoredToken): Promise<OpenedToken> {
    const opened = await this.open(token);
    if (hasMask(token) || getTokenType(token).derive !== undefined) await opened.load();
    return opened;
  }
}

/** Whether anything in the view is made of the data. Otherwise the data stays sealed. */
function showsContent(token: StoredToken, transform: Transform): boolean {
  if (transform !== 'mask') return transform === 'reveal';
  return hasMask(token) || getTokenType(token).derive !== undefined;
}

function hasMask(token: StoredToken): boolean {
  return token.mask === null ? getTokenType(token).defaultMask !== undefined : token.mask !== 'null';
}

/** Nothing of it has to be waited for, and it takes no longer than others may wait. */
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
      return cvc === undefined ? content.dataText : withCvc(content.dataText, cvc);
  }
}

/**
 * What was supplied is echoed. A card on its default mask shows what the mask makes of it, which holds the last digits and the expiry:
 * a redacted view has none.
 */
function shownMask(token: StoredToken, transform: Transform, content: TokenContent | undefined): string | undefined {
  if (token.mask !== null) return token.mask === 'null' ? undefined : token.mask;
  const type = getTokenType(token);
  if (token.type === 'card') return transform === 'redact' ? undefined : content?.masked?.reveal();
  return type.defaultMask === undefined ? undefined : toJsonText(type.defaultMask);
}

/** Puts the code back as the last member of the card object. */
function withCvc(text: Sensitive<string>, cvc: Sensitive<string>): Sensitive<string> {
  const object = text.reveal().trimEnd();
  const separator = object.slice(1, -1).trim() === '' ? '' : ',';
  return new Sensitive(`${object.slice(0, -1)}${separator}"cvc":${cvc.reveal()}}`);
}
