import { readFile } from 'node:fs/promises';
import { membersOf } from '../../../../core/objects/members-of.ts';
import { Sensitive } from '../../../../core/identity/sensitive.ts';
import { KeyServiceError, textOf } from '../key-service.ts';
import { TransitRefusal } from './transit-refusal.ts';

/** The way in which the vault gets its token for Transit. An agent on this machine adds its own. */
export type TransitSignIn =
  | { readonly kind: 'agent' }
  | { readonly kind: 'token'; readonly token: Sensitive<string> }
  | { readonly kind: 'kubernetes'; readonly mount: string; readonly role: string; readonly tokenFile: string }
  | {
      readonly kind: 'approle';
      readonly mount: string;
      readonly roleId: string;
      readonly secretId: Sensitive<string>;
    };

/** Sends a request to Vault or OpenBao and returns the fields of the response. Throws if it is refused. */
export type TransitAsk = (request: {
  readonly operation: string;
  readonly method?: 'GET' | 'POST';
  readonly path: string;
  readonly body?: object;
  readonly token?: Sensitive<string> | undefined;
}) => Promise<Readonly<Record<string, unknown>>>;

interface Lease {
  readonly token: Sensitive<string>;
  /** The time for which the token was valid when it was issued. Infinite if it does not expire. */
  readonly firstMs: number;
  readonly endsAt: number;
  readonly isRenewable: boolean;
  /** True if it is not known yet for how long the token is valid. */
  readonly isProvisional?: boolean;
}

/** The share of its time after which a token is renewed. What remains is for further attempts. */
const renewalShare = 2 / 3;
const retryMs = 10_000;
/** The time for which a refusal is not answered with another sign-in, after one that did not help. */
const futileMs = 60_000;
const timerMinMs = 1_000;
/** The longest delay of a timer. Tokens that live longer are renewed more often than necessary. */
const timerMaxMs = 24 * 3_600_000;

/**
 * The current token for Transit. It is renewed in the background before it expires, also while the vault is idle. If it
 * cannot be renewed any further, the vault signs in again.
 */
export class TransitToken {
  readonly #signIn: TransitSignIn;
  readonly #ask: TransitAsk;
  #lease: Lease | undefined;
  #refreshing: Promise<Lease> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #futileUntil = 0;
  #isClosed = false;

  constructor(signIn: TransitSignIn, ask: TransitAsk) {
    this.#signIn = signIn;
    this.#ask = ask;
  }

  /** Returns a token that is still valid, or undefined if an agent adds one. */
  async current(): Promise<Sensitive<string> | undefined> {
    if (this.#signIn.kind === 'agent') return undefined;
    const lease = this.#lease;
    const isValid = lease !== undefined && performance.now() < lease.endsAt;
    return (isValid ? lease : await this.#refresh()).token;
  }

  /** Signs in again after Transit refused this token. Returns false if there is no other token to try. */
  async replace(refused: Sensitive<string>): Promise<boolean> {
    if (this.#signIn.kind === 'agent' || this.#signIn.kind === 'token') return false;
    if (performance.now() < this.#futileUntil) return false;
    if (this.#lease?.token === refused) this.#lease = undefined;
    return (await this.current()) !== refused;
  }

  /**
   * Notes that a new token was refused as well, so its policy is at fault. Signing in for every further call would leave
   * a token behind each time.
   */
  noteFutile(): void {
    this.#futileUntil = performance.now() + futileMs;
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  /** Renews the token or gets another one. Concurrent callers share one attempt. */
  #refresh(): Promise<Lease> {
    this.#refreshing ??= this.#renewOrSignIn().finally(() => (this.#refreshing = undefined));
    return this.#refreshing;
  }

  async #renewOrSignIn(): Promise<Lease> {
    const lease = (await this.#renew()) ?? (await this.#start());
    this.#lease = lease;
    this.#schedule((lease.endsAt - performance.now()) * renewalShare);
    return lease;
  }

  /** Renews the current token. Returns undefined if it is close to the longest time that it may live. */
  async #renew(): Promise<Lease | undefined> {
    const held = this.#lease;
    if (held === undefined || !held.isRenewable || performance.now() >= held.endsAt) return undefined;
    try {
      const path = '/v1/auth/token/renew-self';
      const renewed = leaseFrom(await this.#ask({ operation: 'renewal', path, body: {}, token: held.token }), held);
      const remainingMs = renewed.endsAt - performance.now();
      // A token that cannot be renewed any further gets no time at all, or less than before.
      const isSpent = this.#signIn.kind !== 'token' && remainingMs < held.firstMs / 2;
      return isSpent || !Number.isFinite(remainingMs) ? undefined : renewed;
    } catch (error) {
      if (this.#signIn.kind === 'token') throw error;
      return undefined;
    }
  }

  async #start(): Promise<Lease> {
    const signIn = this.#signIn;
    switch (signIn.kind) {
      case 'agent':
        throw new Error('An agent adds its own token.');
      case 'token':
        return this.#lookUp(signIn.token);
      case 'kubernetes':
        return this.#logIn(signIn.mount, { role: signIn.role, jwt: await readJwt(signIn.tokenFile) });
      case 'approle':
        return this.#logIn(signIn.mount, { role_id: signIn.roleId, secret_id: signIn.secretId.reveal() });
    }
  }

  async #logIn(mount: string, body: object): Promise<Lease> {
    return leaseFrom(await this.#ask({ operation: 'sign-in', path: `/v1/auth/${mount}/login`, body }));
  }

  /**
   * Finds out how long the operator's token lives. If its policy does not allow that, it is used as long as Transit
   * accepts it.
   */
  async #lookUp(token: Sensitive<string>): Promise<Lease> {
    const forever = { token, firstMs: Number.POSITIVE_INFINITY, endsAt: Number.POSITIVE_INFINITY, isRenewable: false };
    try {
      const path = '/v1/auth/token/lookup-self';
      const { data } = await this.#ask({ operation: 'look-up', method: 'GET', path, token });
      const { ttl, renewable } = membersOf(data);
      if (typeof ttl !== 'number' || ttl <= 0) return forever;
      return toLease(token, ttl, renewable === true);
    } catch (error) {
      if (error instanceof TransitRefusal && [403, 404].includes(error.status)) return forever;
      // The server is unavailable, so this is asked again later.
      return { ...toLease(token, retryMs / 1_000, false), isProvisional: true };
    }
  }

  #schedule(delayMs: number): void {
    clearTimeout(this.#timer);
    // The operator's own token can only be renewed, and a token that does not expire needs nothing.
    const { isRenewable = false, isProvisional = false } = this.#lease ?? {};
    const isFixed = this.#signIn.kind === 'token' && !isRenewable && !isProvisional;
    if (this.#isClosed || isFixed || !Number.isFinite(delayMs)) return;
    const refresh = () => void this.#refresh().catch(() => this.#schedule(retryMs));
    this.#timer = setTimeout(refresh, Math.min(Math.max(delayMs, timerMinMs), timerMaxMs)).unref();
  }
}

/** Reads the token of a response to a sign-in or a renewal. */
function leaseFrom(fields: Readonly<Record<string, unknown>>, renewed?: Lease): Lease {
  const { client_token, lease_duration, renewable } = membersOf(fields['auth']);
  const text = textOf(client_token);
  if (text === undefined || typeof lease_duration !== 'number' || lease_duration < 0) {
    throw new KeyServiceError(
      'The response of Transit contains no valid token. Check any proxy between it and this server.',
    );
  }
  const lease = toLease(renewed?.token ?? new Sensitive(text), lease_duration, renewable === true);
  return renewed === undefined ? lease : { ...lease, firstMs: renewed.firstMs };
}

function toLease(token: Sensitive<string>, seconds: number, isRenewable: boolean): Lease {
  const firstMs = seconds === 0 ? Number.POSITIVE_INFINITY : seconds * 1_000;
  return { token, firstMs, endsAt: performance.now() + firstMs, isRenewable };
}

async function readJwt(file: string): Promise<string> {
  try {
    return (await readFile(file, 'utf8')).trim();
  } catch (error) {
    throw new KeyServiceError(
      `The service account token ${file} cannot be read. Mount it, or correct STRONGROOM_TRANSIT_KUBERNETES_TOKEN_FILE.`,
      error,
    );
  }
}
