import { leastTransform, type Transform } from '../../../core/access/access-rule.ts';
import { type AccessTarget, decideAccess, requireAccessToEach } from '../../../core/access/decide-access.ts';
import { maySeePlaintext, requireNoGain } from '../../../core/sight/view-authorship.ts';
import { Sensitive } from '../../../core/identity/sensitive.ts';
import type { KeyCaller } from '../../../core/identity/caller.ts';
import type { DomainError } from '../../../core/errors/domain-error.ts';
import { storedDepthMax } from '../../../core/json/json-limits.ts';
import { parseJsonSteps } from '../../../core/json/parse-json.ts';
import { findTokenType } from '../../../core/token-types/token-type-catalog.ts';
import { type EncryptedData, parseEncryptedData } from '../../../platform/keyring/client-keys/encrypted-data.ts';
import { inTurns, mapInTurns } from '../../../platform/waiting/turns.ts';
import type { EncryptedDataOpener } from '../../client-keys/index.ts';
import { invalidAt, isReferring, type ReferringRequest, type TokenRequest } from '../model/token-request.ts';
import { toDecryptedData } from '../model/decrypted-data.ts';
import { intentContainers, noSuchIntentAt, type TokenIntents } from '../intents/index.ts';
import { toContainers, toTarget } from './token-draft.ts';
import { requireHarmless } from './fields-request.ts';

/**
 * A caller may not know the data that it refers to: a browser has encrypted it, and a server passes it on. Such a
 * caller could define a view that shows the data, or ask for it in the response. It gets no more than what its rules
 * for reading show.
 */

/**
 * Returns the transform of the response to the creation of a token. Throws if the caller may not create the token.
 */
export function requireCreation(caller: KeyCaller, request: TokenRequest, target: AccessTarget): Transform {
  const granted = requireAccessToEach(caller.grants, 'token:create', target);
  if (request.from === undefined) return granted;
  const reading = decideAccess(caller.grants, 'token:read', target);
  const seesPlaintext = reading.isAllowed && reading.transform === 'reveal';
  return leastTransform(granted, seesPlaintext ? 'reveal' : 'mask');
}

/**
 * Returns true if the response may tell whether the data equals that of other tokens, by a fingerprint or by returning an
 * existing token. A caller that may not know the data could otherwise find it out: a masked card number leaves a
 * thousand guesses, which it could store and compare. A caller who may read the token sees its fingerprint there anyway.
 */
export function mayCompare(caller: KeyCaller, request: TokenRequest, target: AccessTarget): boolean {
  if (request.from === undefined || maySeePlaintext(caller, target)) return true;
  const reading = decideAccess(caller.grants, 'token:read', target);
  return reading.isAllowed && reading.transform !== 'redact';
}

/** Finds the data that token requests refer to instead of containing it. */
export class ReferencedData {
  readonly #encrypted: EncryptedDataOpener;
  readonly #intents: TokenIntents;

  constructor(parts: { encrypted: EncryptedDataOpener; intents: TokenIntents }) {
    this.#encrypted = parts.encrypted;
    this.#intents = parts.intents;
  }

  /**
   * Returns the requests with their data, in the same order. The permission is the one that the caller needs to store
   * them. Throws if a caller may not know the data and the request could reveal it. No expression of the request has
   * been evaluated by then: one that fails for some values would reveal them.
   */
  async findAll(
    caller: KeyCaller,
    requests: readonly (TokenRequest | ReferringRequest)[],
    permission: 'token:create' | 'token-intent:create' = 'token:create',
  ): Promise<readonly TokenRequest[]> {
    const referring = requests.filter(isReferring);
    // Whether data can be decrypted is of no concern to a caller that may not store it.
    for (const request of referring) requireAccessToEach(caller.grants, permission, targetOf(request));
    const opened = new Map([
      ...(await this.#openEncrypted(
        caller,
        referring.filter(({ from }) => from.kind === 'encrypted'),
      )),
      ...(await this.#openIntents(
        caller,
        referring.filter(({ from }) => from.kind === 'intent'),
      )),
    ]);
    for (const request of opened.values()) {
      if (!maySeePlaintext(caller, targetOf(request))) requireHarmless(request, 'for data that this key may not see');
    }
    return requests.map((request) => (isReferring(request) ? (opened.get(request) ?? missing()) : request));
  }

  async #openEncrypted(
    caller: KeyCaller,
    requests: readonly ReferringRequest[],
  ): Promise<ReadonlyMap<ReferringRequest, TokenRequest>> {
    if (requests.length === 0) return new Map();
    const encrypted = requests.map(toEncryptedData);
    const texts = await this.#encrypted.openAll(caller.tenantId, encrypted);
    const entries = await mapInTurns(requests, async (request, index) => {
      const text = texts[index];
      if (text === undefined) throw undecryptable(request);
      const { type = '' } = request;
      return [request, { ...request, type, ...(await toDecryptedData(type, text)) }] as const;
    });
    return new Map(entries);
  }

  /** Opens token intents without their verification codes, which do not become part of a token. */
  async #openIntents(
    caller: KeyCaller,
    requests: readonly ReferringRequest[],
  ): Promise<ReadonlyMap<ReferringRequest, TokenRequest>> {
    const found = await this.#intents.findAll(
      caller.tenantId,
      requests.map(({ from }) => from.text),
    );
    const entries = await mapInTurns(requests, async (request) => {
      const intent = found.get(request.from.text);
      if (intent === undefined) throw noSuchIntentAt(request.path);
      const { type } = intent;
      if (request.type !== undefined && request.type !== type)
        throw invalidAt(request.path, 'type', 'must be that of the token intent, or absent');
      requireConversion(caller, type, targetOf({ ...request, type }));
      const dataText = await this.#intents.open(intent);
      const data = await inTurns(parseJsonSteps(dataText.reveal(), { depthMax: storedDepthMax }));
      return [request, { ...request, type, data: new Sensitive(data), dataText }] as const;
    });
    return new Map(entries);
  }
}

/**
 * Throws if the caller may not make an intent such a token. An intent counts as being in the containers of its type, so
 * other containers amount to moving it, and keys on those could read what it holds.
 */
function requireConversion(caller: KeyCaller, type: string, to: AccessTarget): void {
  const from = { containers: intentContainers(type) };
  const isMove = new Set(from.containers).symmetricDifference(new Set(to.containers)).size > 0;
  if (isMove) requireAccessToEach(caller.grants, 'token:update', from);
  requireNoGain(caller, from, to);
}

/** Returns the target of the token to create. Its id counts too, because rules of sessions can have conditions on it. */
function targetOf({ id, path, type, containers }: ReferringRequest | TokenRequest): AccessTarget {
  const defaults = type === undefined ? [] : (findTokenType(type)?.defaultContainers ?? []);
  return toTarget({
    wantedId: id,
    containers: containers === undefined ? defaults : toContainers(path, containers),
  });
}

function toEncryptedData(request: ReferringRequest): EncryptedData {
  const data = parseEncryptedData(request.from.text);
  if (data !== undefined) return data;
  throw invalidAt(
    request.path,
    'encrypted',
    'must be a JWE in compact serialization whose header has alg ECDH-ES, enc A256GCM, an epk on X25519 and the id of a client key as kid',
  );
}

/** Returns the same error for every cause, because a difference would reveal something about keys or data. */
function undecryptable({ path }: ReferringRequest): DomainError {
  return invalidAt(
    path,
    'encrypted',
    'cannot be decrypted: the client key that it names does not exist or has expired, or it was changed',
  );
}

function missing(): never {
  throw new Error('The data of a request was not looked up.');
}
