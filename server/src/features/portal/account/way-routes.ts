import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { DomainError } from '../../../core/errors/domain-error.ts';
import { formOf } from '../../../http/bodies/form-body.ts';
import { pageOptions, sendPage } from '../../../http/pages/page-reply.ts';
import type { Portal } from '../visits/portal.ts';
import { originOf, requireFreshSession } from '../visits/portal-session-routes.ts';
import { countUsableWays, type SignInWay, withoutWay } from '../people/user.ts';
import { confirmations, describePasskey, renderRemovalPage } from './way-page.ts';

/** Adds the routes that remove a passkey or the connection to a provider. */
export function addWayRoutes(app: FastifyInstance, portal: Portal): void {
  app.post('/portal/passkeys/remove', pageOptions, (request, reply) =>
    remove(portal, { request, reply, way: { kind: 'passkey', id: formOf(request)('id') } }),
  );
  app.post('/portal/provider/remove', pageOptions, (request, reply) =>
    remove(portal, { request, reply, way: { kind: 'provider', issuer: formOf(request)('issuer') } }),
  );
}

async function remove(
  portal: Portal,
  { request, reply, way }: { request: FastifyRequest; reply: FastifyReply; way: SignInWay },
): Promise<FastifyReply> {
  const session = await requireFreshSession(portal, request);
  const confirmed = formOf(request)('confirmed');
  if (confirmed === confirmations.removal || confirmed === confirmations.lastRemoval) {
    const isLastAccepted = confirmed === confirmations.lastRemoval;
    const outcome = await portal.wayRemoval.remove(session, way, { isLastAccepted });
    if (outcome === 'unknown') throw noSuchWay();
    if (outcome === 'removed') {
      await portal.sessions.recordChange(session.user.id, originOf(request));
      return reply.redirect('/portal/account', 303);
    }
  }
  // The user has not confirmed the removal, or was not yet warned that the method is the last one.
  const ways = await portal.sessions.listWays(session);
  const left = withoutWay(ways, way);
  if (left === ways) throw noSuchWay();
  const isLast = countUsableWays(left, portal.provider?.issuer) === 0;
  const passkey = way.kind === 'passkey' ? ways.passkeys.find(({ id }) => id === way.id) : undefined;
  const name = passkey === undefined ? nameOfProvider(portal, way) : describePasskey(passkey);
  return sendPage(reply, renderRemovalPage(way, { isLast, name }));
}

function nameOfProvider({ provider }: Portal, way: SignInWay): string {
  if (way.kind !== 'provider') return '';
  return provider?.issuer === way.issuer ? provider.name : way.issuer;
}

function noSuchWay(): DomainError {
  return new DomainError('not-found', 'You have no such way to sign in. It may have been removed already.');
}
