import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  type Configuration,
  type CustomFetch,
  customFetch,
  discovery,
  randomNonce,
  randomPKCECodeVerifier,
} from 'openid-client';
import type { Sensitive } from '../../core/identity/sensitive.ts';

/** The OpenID provider that the operator named. */
export interface OpenidConfig {
  /** Encrypted, unless it is on this machine. */
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: Sensitive<string>;
  /** What people call it. */
  readonly name: string;
}

/** What has to be remembered between leaving for the provider and coming back. */
export interface OpenidChecks {
  readonly nonce: string;
  readonly verifier: string;
}

export interface OpenidSubject {
  readonly subject: string;
  /** When the provider last made sure who it is; undefined where it does not say. */
  readonly authenticatedAtMs: number | undefined;
}

const timeoutSeconds = 5;
const answerSizeMax = 1024 * 1024;

/**
 * Asks an OpenID provider who somebody is: authorization code with PKCE, state and nonce. Nobody is asked before somebody
 * wants to sign in, so that a provider which is away keeps no server from starting.
 */
export class OpenidProvider {
  readonly name: string;
  readonly issuer: string;
  readonly #config: OpenidConfig;
  readonly #redirectUri: string;
  #discovery: Promise<Configuration> | undefined;

  constructor(config: OpenidConfig, redirectUri: string) {
    this.name = config.name;
    this.issuer = config.issuer;
    this.#config = config;
    this.#redirectUri = redirectUri;
  }

  /** Where the browser goes. */
  async begin(state: string): Promise<OpenidChecks & { readonly url: string }> {
    const configuration = await this.#discover();
    const [nonce, verifier] = [randomNonce(), randomPKCECodeVerifier()];
    const url = buildAuthorizationUrl(configuration, {
      redirect_uri: this.#redirectUri,
      scope: 'openid email',
      state,
      nonce,
      // Whoever comes back has just shown who they are, as with every other way in (OpenID Connect Core §3.1.2.1).
      // `prompt=login` would ask for the same, but there are providers that refuse it.
      max_age: '0',
      code_challenge: await calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    });
    return { nonce, verifier, url: url.href };
  }

  /** Who came back, as the provider names them; throws where anything about the answer is not right. */
  async complete(query: string, checks: OpenidChecks & { readonly state: string }): Promise<OpenidSubject> {
    const tokens = await authorizationCodeGrant(await this.#discover(), new URL(`${this.#redirectUri}?${query}`), {
      expectedState: checks.state,
      expectedNonce: checks.nonce,
      pkceCodeVerifier: checks.verifier,
      idTokenExpected: true,
    });
    const { sub: subject = '', auth_time: authenticatedAtSeconds } = tokens.claims() ?? {};
    if (subject === '' || subject.length > 255) throw new Error('The provider returned no valid subject.');
    return { subject, authenticatedAtMs: toMilliseconds(authenticatedAtSeconds) };
  }

  #discover(): Promise<Configuration> {
    const { issuer, clientId, clientSecret } = this.#config;
    const execute = issuer.startsWith('http:') ? [allowInsecureRequests] : [];
    this.#discovery ??= discovery(new URL(issuer), clientId, clientSecret.reveal(), undefined, {
      execute,
      timeout: timeoutSeconds,
      [customFetch]: boundedFetch,
    }).catch((error: unknown) => {
      // The next who wants in asks again.
      this.#discovery = undefined;
      throw error;
    });
    return this.#discovery;
  }
}

function toMilliseconds(seconds: unknown): number | undefined {
  return typeof seconds === 'number' && Number.isFinite(seconds) ? seconds * 1_000 : undefined;
}

/** A provider that answers without end is given up. */
const boundedFetch: CustomFetch = async (url, options) => {
  const answer = await fetch(url, options as RequestInit);
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of answer.body ?? []) {
    size += (chunk as Uint8Array).length;
    if (size > answerSizeMax) throw new Error('The response from the provider is too large.');
    chunks.push(chunk as Uint8Array);
  }
  const { status, statusText, headers } = answer;
  const body = size === 0 ? null : Buffer.concat(chunks);
  return new Response(body, { status, statusText, headers });
};
