import type { CallOutcome, ServiceCall } from '../../protocol/messages.ts';
import { keyIdOf } from '../../protocol/frame-address.ts';
import { isRecord } from '../../protocol/parse.ts';
import { toFailure } from './call-failure.ts';
import { mapTokens, visitTokens } from './each-token.ts';
import { encryptRequests, readEncryption, requireKeyOfVault } from './encrypt-call.ts';
import { IdempotencyKeys } from './idempotency-keys.ts';
import type { JoinedFields } from './joined-fields.ts';
import type { KeptValues } from './kept-values.ts';
import { callProxy } from './proxy-call.ts';
import { RefusedCall } from './refused-call.ts';
import { resolvePayload } from './resolve-payload.ts';
import { SessionHandles } from './session-handles.ts';
import { hasReference, requireHarmless, requireHarmlessMask, requireIntent, showsEnds } from './token-request.ts';
import { holdsSecret, pickShown, toShownToken, toShownTokens } from './token-response.ts';
import type { UsedNumbers } from './used-numbers.ts';
import { callVault, type VaultRequest, type VaultResponse } from './vault-api.ts';

type Target = Pick<VaultRequest, 'method' | 'path' | 'bodyType'>;

/** The operations that a page can run on the values of its fields without seeing them. */
export class Services {
  readonly #key: string;
  readonly #fields: JoinedFields;
  readonly #kept: KeptValues;
  readonly #used: UsedNumbers;
  readonly #sessions = new SessionHandles();
  readonly #idempotencyKeys = new IdempotencyKeys();

  constructor(parts: { key: string; fields: JoinedFields; kept: KeptValues; used: UsedNumbers }) {
    this.#key = parts.key;
    this.#fields = parts.fields;
    this.#kept = parts.kept;
    this.#used = parts.used;
  }

  async call(call: ServiceCall): Promise<CallOutcome> {
    try {
      return await this.#run(call);
    } catch (error) {
      // The controller's own errors tell the page what to do. Other errors could repeat a value, so their message is
      // hidden.
      return { refused: error instanceof RefusedCall ? error.message : 'The call failed in the controller.' };
    }
  }

  #run(call: ServiceCall): Promise<CallOutcome> {
    switch (call.service) {
      case 'tokens.create':
        return this.#write(call, { method: 'POST', path: '/tokens' });
      case 'tokens.encrypt':
        return this.#encrypt(call);
      case 'tokenIntents.create':
        return this.#write(call, { method: 'POST', path: '/token-intents' });
      case 'tokens.update':
        return this.#write(call, {
          method: 'PATCH',
          path: `/tokens/${encodeURIComponent(call.id ?? '')}`,
          bodyType: 'application/merge-patch+json',
        });
      case 'tokens.retrieve':
        return this.#retrieve(call);
      case 'tokenize':
        return this.#tokenize(call);
      case 'sessions.create':
        return this.#createSession(call);
      case 'proxy.get':
      case 'proxy.post':
      case 'proxy.put':
      case 'proxy.patch':
      case 'proxy.delete':
        return this.#proxy(call);
    }
  }

  async #write(call: ServiceCall, target: Target): Promise<CallOutcome> {
    const { payload } = call;
    if (!isRecord(payload)) throw new RefusedCall('A token must be an object.');
    requireHarmless(payload);
    const isIntent = call.service === 'tokenIntents.create';
    if (isIntent) requireIntent(payload);
    return this.#send(call, target, {
      check: (resolved) => {
        if (isRecord(resolved)) requireHarmlessMask(resolved);
        return showsEnds(payload);
      },
      // If the same card always returned the same id, a page could confirm a guess.
      toBody: (resolved) => (isRecord(resolved) && !isIntent ? { ...resolved, deduplicate_token: false } : resolved),
      // An existing token may have a mask that the page chose, and that mask could show any part of the new data.
      show: (answer) => toShownToken(answer, target.method === 'PATCH' ? { ...payload, mask: null } : payload),
    });
  }

  /** Encrypts what was typed, for a key of the vault. */
  async #encrypt(call: ServiceCall): Promise<CallOutcome> {
    const wanted = readEncryption(call);
    const pageKey = keyIdOf(this.#key);
    if (pageKey === undefined) throw new RefusedCall('tokens.encrypt needs a public key.');
    await requireKeyOfVault(wanted.key, pageKey);
    const { payload, errors, details } = await resolvePayload(wanted.requests, (element) => this.#fields.ask(element));
    if (errors.length > 0) return { invalid: { details, errors } };
    return { value: await encryptRequests(wanted, payload) };
  }

  async #tokenize(call: ServiceCall): Promise<CallOutcome> {
    visitTokens(call.payload, requireHarmless);
    return this.#send(
      call,
      { method: 'POST', path: '/tokenize' },
      {
        check: (resolved) => {
          let isShown = false;
          visitTokens(resolved, (token) => {
            requireHarmlessMask(token);
            isShown ||= showsEnds(token);
          });
          return isShown;
        },
        toBody: (resolved) => mapTokens(resolved, (token) => ({ ...token, deduplicate_token: false })),
        show: (answer) => toShownTokens(answer, call.payload),
      },
    );
  }

  async #send(
    call: ServiceCall,
    target: Target,
    steps: {
      /**
       * Rejects requests that would show too much. Returns true if the page will see the first and last digits of
       * values.
       */
      readonly check: (resolved: unknown) => boolean;
      readonly toBody: (resolved: unknown) => unknown;
      readonly show: (answer: unknown) => unknown;
    },
  ): Promise<CallOutcome> {
    const { payload, secrets, errors, details } = await resolvePayload(call.payload, (element) =>
      this.#fields.ask(element),
    );
    if (errors.length > 0) return { invalid: { details, errors } };
    const isShown = steps.check(payload);
    const request = { ...target, ...this.#credentials(call), body: steps.toBody(payload) };
    const response = await this.#showing(isShown ? secrets : [], () => callVault(request));
    const outcome = response.isOk ? { value: steps.show(response.body) } : toFailure(response);
    if (holdsSecret(outcome, secrets)) throw new RefusedCall('The response would have shown the page what was typed.');
    return outcome;
  }

  /** Makes a call whose response reveals the first and last digits of the typed values to the page. */
  async #showing(secrets: readonly string[], call: () => Promise<VaultResponse>): Promise<VaultResponse> {
    if (this.#used.continues(secrets))
      throw new RefusedCall(
        'A token was already created with a part of what was typed. Reload the page and type it again.',
      );
    // The numbers are added before the call, so that a concurrent call is rejected.
    const added = this.#used.add(secrets);
    this.#fields.noteTokens(added);
    const response = await call();
    if (!response.isOk) this.#used.remove(added);
    return response;
  }

  async #retrieve(call: ServiceCall): Promise<CallOutcome> {
    const path = `/tokens/${encodeURIComponent(call.id ?? '')}`;
    const key = this.#sessions.findForReading(call.apiKey, this.#key);
    const response = await callVault({ method: 'GET', path, key });
    if (!response.isOk) return toFailure(response);
    if (!isRecord(response.body)) throw new RefusedCall('The vault has sent no token.');
    const { data } = response.body;
    return { value: { ...pickShown(response.body), ...(data === undefined ? {} : { data: this.#kept.keep(data) }) } };
  }

  async #createSession(call: ServiceCall): Promise<CallOutcome> {
    const response = await callVault({ method: 'POST', path: '/sessions', ...this.#credentials(call) });
    if (!response.isOk) return toFailure(response);
    const { body } = response;
    if (!isRecord(body) || typeof body['session_key'] !== 'string')
      throw new RefusedCall('The vault has created no session.');
    const { nonce, expires_at } = body;
    return { value: { session_key: this.#sessions.keep(body['session_key']), nonce, expires_at } };
  }

  /** Calls the proxy. A destination's response may contain a value, so the page receives references. */
  async #proxy(call: ServiceCall): Promise<CallOutcome> {
    if (hasReference(call.payload) || hasReference(call.proxy))
      throw new RefusedCall('The proxy takes no elements. Create a token and send its id.');
    const response = await callProxy(call, this.#credentials(call));
    if (!response.isOk) return toFailure(response);
    const value = this.#kept.keep(response.body);
    if (call.proxy?.includeResponseHeaders !== true) return { value };
    const [type] = /^[a-z]+\/[a-z.+-]+/.exec(response.headers.get('content-type') ?? '') ?? [''];
    const headers = { 'content-type': type };
    return { value: { data: value, headers } };
  }

  #credentials({ apiKey, idempotencyKey, correlationId }: ServiceCall): Pick<VaultRequest, 'key' | 'headers'> {
    return {
      key: this.#sessions.find(apiKey, this.#key),
      headers: {
        ...(idempotencyKey === undefined ? {} : { 'bt-idempotency-key': this.#idempotencyKeys.of(idempotencyKey) }),
        ...(correlationId === undefined ? {} : { 'bt-trace-id': correlationId }),
      },
    };
  }
}
