import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isGranted, missingPermission } from '../core/access/require-access.ts';
import { DomainError } from '../core/errors/domain-error.ts';
import type { Caller, Identity } from '../core/identity/caller.ts';

/** Who turns a key into an identity; the applications feature does. */
export interface Authenticator {
  /** The identity of a valid key; undefined for a key that is malformed, unknown, revoked or expired. */
  authenticate(key: string): Promise<Identity | undefined>;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set before any handler of a route that needs a key. */
    caller: Caller;
  }
}

const keyLengthMax = 100;

/** Runs before a body is read: nobody without a key makes us parse anything. */
export function addAuthentication(app: FastifyInstance, authenticator: Authenticator): void {
  app.decorateRequest('caller', {
    getter: () => {
      throw new Error('A handler asked for the caller of a public route.');
    },
  });
  app.addHook('onRequest', async (request) => {
    const permission = request.routeOptions.config.permission ?? 'public';
    if (permission === 'public') return;

    const caller = await identify(request, authenticator);
    Object.defineProperty(request, 'caller', { value: caller });
    if (caller.session?.isAuthorized === false) {
      throw new DomainError('forbidden', 'The session has not been authorized.');
    }
    if (permission !== 'any-key' && !isGranted(caller.grants, permission)) throw missingPermission(permission);
  });
}

async function identify(request: FastifyRequest, authenticator: Authenticator): Promise<Caller> {
  const key = request.headers['bt-api-key'];
  if (typeof key !== 'string' || key === '') {
    throw new DomainError('unauthenticated', 'The BT-API-KEY header is required.');
  }
  const identity = key.length > keyLengthMax ? undefined : await authenticator.authenticate(key);
  if (identity === undefined)
    throw new DomainError('unauthenticated', 'The key in the BT-API-KEY header is not valid.');
  return { ...identity, requestId: request.id, sourceAddress: request.ip };
}
