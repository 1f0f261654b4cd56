import type { MatrixRoute } from './permission-matrix.ts';
import { at } from './derived-matrix-rows.ts';
import type { TestTenant, TestVault } from './test-vault.ts';
import { addDelivery } from './webhook-delivery.ts';

/** Returns the routes of webhooks. Each request creates the webhook that it is about. */
export function webhookRoutes(vault: TestVault): MatrixRoute[] {
  const endpoint = { name: 'Endpoint', url: 'https://events.example.com/', events: ['token.created'] };
  const onWebhook =
    (suffix = '', body?: object) =>
    async (of: TestTenant) => {
      // A tenant can have only a limited number of webhooks.
      await vault.database.owner.query('delete from webhooks where tenant_id = $1', [of.id]);
      const answer = await vault.request('POST', '/webhooks', { key: of.keys.management, body: endpoint });
      const { id } = answer.body as { id: string };
      await addDelivery(vault.database.owner, { tenantId: of.id, webhookId: id, id });
      return { path: `/webhooks/${id}${suffix.replace('{deliveryId}', id)}`, ...(body === undefined ? {} : { body }) };
    };
  return [
    {
      method: 'POST',
      path: '/webhooks',
      needs: 'webhook:create',
      alsoNeeds: 'log:read',
      status: 201,
      scope: 'plain',
      prepare: async (of) => {
        await onWebhook()(of);
        return { path: '/webhooks', body: endpoint };
      },
    },
    { method: 'GET', path: '/webhooks', needs: 'webhook:read', status: 200, scope: 'plain', prepare: at('/webhooks') },
    {
      method: 'GET',
      path: '/webhooks/{id}',
      needs: 'webhook:read',
      status: 200,
      scope: 'plain',
      prepare: onWebhook(),
    },
    {
      method: 'PUT',
      path: '/webhooks/{id}',
      needs: 'webhook:update',
      alsoNeeds: 'log:read',
      status: 200,
      scope: 'plain',
      prepare: onWebhook('', endpoint),
    },
    {
      method: 'DELETE',
      path: '/webhooks/{id}',
      needs: 'webhook:delete',
      status: 204,
      scope: 'plain',
      prepare: onWebhook(),
    },
    {
      method: 'POST',
      path: '/webhooks/{id}/rotate-secret',
      needs: 'webhook:update',
      alsoNeeds: 'log:read',
      status: 200,
      scope: 'plain',
      prepare: onWebhook('/rotate-secret'),
    },
    {
      method: 'GET',
      path: '/webhooks/{id}/deliveries',
      needs: 'webhook:read',
      alsoNeeds: 'log:read',
      status: 200,
      scope: 'plain',
      prepare: onWebhook('/deliveries'),
    },
    {
      method: 'POST',
      path: '/webhooks/{id}/deliveries/{deliveryId}/resend',
      needs: 'webhook:update',
      alsoNeeds: 'log:read',
      status: 202,
      scope: 'plain',
      prepare: onWebhook('/deliveries/{deliveryId}/resend'),
    },
    {
      method: 'POST',
      path: '/webhooks/{id}/resend',
      needs: 'webhook:update',
      alsoNeeds: 'log:read',
      status: 202,
      scope: 'plain',
      prepare: onWebhook('/resend', { since: '2126-01-01T00:00:00Z' }),
    },
  ];
}
