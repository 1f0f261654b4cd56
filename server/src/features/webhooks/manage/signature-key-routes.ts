import type { FastifyInstance } from 'fastify';
import type { WebhookSignatureKey } from '../../../platform/keyring/webhooks/webhook-signature-key.ts';

/**
 * Adds the address of the public key that verifies `BT-SIGNATURE`, as PEM. It is no secret, and receivers fetch it
 * without a key. It is a file rather than a part of the API, as at the hosted service.
 */
export function addSignatureKeyRoutes(app: FastifyInstance, key: WebhookSignatureKey): void {
  app.get('/webhooks/keys/v1', { config: { permission: 'public' }, schema: { hide: true } }, async (_request, reply) =>
    reply.type('application/x-pem-file').send(await key.publicKey()),
  );
}
