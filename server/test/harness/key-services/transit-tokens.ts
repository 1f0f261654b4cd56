import { randomUUID } from 'node:crypto';
import type { EndpointAnswer } from './key-service-endpoint.ts';
import type { SeenRequest } from '../tls-destination.ts';

interface IssuedToken {
  endsAt: number;
  /** The time after which the token cannot be renewed any further. */
  readonly latestEnd: number;
}

/**
 * An imitation of how Vault and OpenBao issue tokens, written from their documentation: sign-in by Kubernetes and
 * AppRole, look-up and renewal.
 */
export class TransitTokens {
  readonly kubernetes = { role: 'strongroom', jwt: `jwt-${randomUUID()}` };
  readonly approle = { roleId: randomUUID(), secretId: randomUUID() };
  /** The time for which a new token is valid, and the longest time to which it can be renewed. */
  times = { leaseSeconds: 3_600, maxSeconds: 36_000 };
  /** The time for which the operator's own token is still valid. Zero if it does not expire. */
  ownSeconds = 0;
  /** True if the policy of every token allows nothing. */
  deniesAll = false;
  /** True if requests about tokens fail while others succeed. */
  isUnavailable = false;
  /** The operations of the requests so far, such as `kubernetes` for a sign-in. */
  readonly seen: string[] = [];
  readonly #own: string;
  readonly #issued = new Map<string, IssuedToken>();

  constructor(own: string) {
    this.#own = own;
  }

  isValid(token: string): boolean {
    if (this.deniesAll) return false;
    const issued = this.#issued.get(token);
    return token === this.#own || (issued !== undefined && performance.now() < issued.endsAt);
  }

  /** Revokes every token that was issued. */
  revokeAll(): void {
    this.#issued.clear();
  }

  /** Returns the response to a request about tokens, or undefined if the request is about something else. */
  answer(request: SeenRequest, token: string): EndpointAnswer | undefined {
    const [, path = ''] = /^(?:GET|POST) \/v1\/auth\/([\w/-]+) HTTP/.exec(request.head) ?? [];
    if (path === '') return undefined;
    this.seen.push(path);
    if (this.isUnavailable) return { status: 503, body: { errors: ['temporarily unavailable'] } };
    const body = request.body.toString('utf8');
    const input = (body === '' ? {} : JSON.parse(body)) as Readonly<Record<string, unknown>>;
    switch (path) {
      case 'kubernetes/login':
        return this.#logIn(input['role'] === this.kubernetes.role && input['jwt'] === this.kubernetes.jwt);
      case 'approle/login':
        return this.#logIn(input['role_id'] === this.approle.roleId && input['secret_id'] === this.approle.secretId);
      case 'token/lookup-self':
        return this.isValid(token) ? this.#lookUp() : denied;
      case 'token/renew-self':
        return this.#renew(token);
      default:
        return { status: 404, body: { errors: ['no handler for route'] } };
    }
  }

  #logIn(isKnown: boolean): EndpointAnswer {
    if (!isKnown) return denied;
    const token = `hvs.${randomUUID()}`;
    const { leaseSeconds, maxSeconds } = this.times;
    const now = performance.now();
    this.#issued.set(token, { endsAt: now + leaseSeconds * 1_000, latestEnd: now + maxSeconds * 1_000 });
    return toAuth(token, leaseSeconds);
  }

  #lookUp(): EndpointAnswer {
    return { status: 200, body: { data: { ttl: this.ownSeconds, renewable: this.ownSeconds > 0 } } };
  }

  #renew(token: string): EndpointAnswer {
    const issued = this.#issued.get(token);
    if (token === this.#own) return toAuth(token, this.ownSeconds);
    if (issued === undefined || !this.isValid(token)) return denied;
    const now = performance.now();
    issued.endsAt = Math.min(now + this.times.leaseSeconds * 1_000, issued.latestEnd);
    return toAuth(token, Math.ceil((issued.endsAt - now) / 1_000));
  }
}

const denied: EndpointAnswer = { status: 403, body: { errors: ['permission denied'] } };

function toAuth(token: string, seconds: number): EndpointAnswer {
  return { status: 200, body: { auth: { client_token: token, lease_duration: seconds, renewable: true } } };
}
