import type * as Library from 'openid-client';
import { type EmailAddress, parseEmailAddress } from '../../core/identity/email-address.ts';
import { membersOf } from '../../core/objects/members-of.ts';
import type { OpenidConfig } from './openid-config.ts';

/** State that is kept until the browser returns from the provider. */
export interface OpenidChecks {
  readonly nonce: string;
  readonly verifier: string;
}

export interface OpenidSubject {
  readonly subject: string;
  /** The time at which the provider last authenticated the user. Undefined if the provider does not report it. */
  readonly authenticatedAtMs: number | undefined;
  /** The e-mail address, if the provider says that it has verified it. */
  readonly verifiedEmail: EmailAddress | undefined;
  readonly groups: readonly string[];
}

const timeoutSeconds = 5;
const answerSizeMax = 1024 * 1024;
/** The number of groups that are compared with the settings. */
const groupsMax = 1_000;

/**
 * Signs users in with an OpenID provider, by authorization code with PKCE, state and nonce. The provider is not
 * contacted before someone signs in, so that an unavailable provider does not prevent a server from starting.
 */
export class OpenidProvider {
  readonly name: string;
  readonly issuer: string;
  readonly #config: OpenidConfig;
  readonly #redirectUri: string;
  /** Loaded here, because a vault without a provider does not need it. */
  readonly #library = import('openid-client');
  #discovery: Promise<Library.Configuration> | undefined;

  constructor(config: OpenidConfig, redirectUri: string) {
    this.name = config.name;
    this.issuer = config.issuer;
    this.#config = config;
    this.#redirectUri = redirectUri;
  }

  /** Returns the URL that the browser must visit. */
  async begin(state: string): Promise<OpenidChecks & { readonly url: string }> {
    const configuration = await this.#discover();
    const library = await this.#library;
    const [nonce, verifier] = [library.randomNonce(), library.randomPKCECodeVerifier()];
    const url = library.buildAuthorizationUrl(configuration, {
      redirect_uri: this.#redirectUri,
      scope: this.#config.scopes,
      state,
      nonce,
      // This requires that the user has just authenticated, like every other sign-in method (OpenID Connect Core
      // §3.1.2.1). `prompt=login` would request the same, but some providers reject it.
      max_age: '0',
      code_challenge: await library.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    });
    return { nonce, verifier, url: url.href };
  }

  /** Returns the user whom the provider identified. Throws if the response is not valid. */
  async complete(query: string, checks: OpenidChecks & { readonly state: string }): Promise<OpenidSubject> {
    const { authorizationCodeGrant } = await this.#library;
    const tokens = await authorizationCodeGrant(await this.#discover(), new URL(`${this.#redirectUri}?${query}`), {
      expectedState: checks.state,
      expectedNonce: checks.nonce,
      pkceCodeVerifier: checks.verifier,
      idTokenExpected: true,
    });
    const claims = membersOf(tokens.claims());
    const { sub: subject, auth_time: authenticatedAtSeconds, email, email_verified: isVerified } = claims;
    if (typeof subject !== 'string' || subject === '' || subject.length > 255)
      throw new Error('The provider returned no valid subject.');
    return {
      subject,
      authenticatedAtMs: toMilliseconds(authenticatedAtSeconds),
      verifiedEmail: isVerified === true && typeof email === 'string' ? parseEmailAddress(email) : undefined,
      groups: toGroups(claims[this.#config.groupsClaim]),
    };
  }

  #discover(): Promise<Library.Configuration> {
    this.#discovery ??= this.#ask().catch((error: unknown) => {
      // The next sign-in tries the discovery again.
      this.#discovery = undefined;
      throw error;
    });
    return this.#discovery;
  }

  async #ask(): Promise<Library.Configuration> {
    const { issuer, clientId, clientSecret } = this.#config;
    const { allowInsecureRequests, customFetch, discovery } = await this.#library;
    return discovery(new URL(issuer), clientId, clientSecret.reveal(), undefined, {
      execute: issuer.startsWith('http:') ? [allowInsecureRequests] : [],
      timeout: timeoutSeconds,
      [customFetch]: boundedFetch,
    });
  }
}

/** Some providers send a single group as a text. */
function toGroups(claim: unknown): string[] {
  const all: unknown[] = Array.isArray(claim) ? claim.slice(0, groupsMax) : [claim];
  return all.filter((group) => typeof group === 'string');
}

function toMilliseconds(seconds: unknown): number | undefined {
  return typeof seconds === 'number' && Number.isFinite(seconds) ? seconds * 1_000 : undefined;
}

/** Fetches a response, and aborts if it is too large. */
const boundedFetch: Library.CustomFetch = async (url, options) => {
  const answer = await fetch(url, { ...options, body: options.body ?? null });
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of answer.body ?? []) {
    if (!(chunk instanceof Uint8Array)) continue;
    size += chunk.length;
    if (size > answerSizeMax) throw new Error('The provider answered too much.');
    chunks.push(chunk);
  }
  const { status, statusText, headers } = answer;
  const body = size === 0 ? null : Buffer.concat(chunks);
  return new Response(body, { status, statusText, headers });
};
