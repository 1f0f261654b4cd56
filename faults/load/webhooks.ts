import type { Cluster } from '../stage/cluster.ts';

/** The paths of the receiver. One webhook gets everything in batches, the other gets a few types, each event alone. */
export const batchesPath = '/batches';
export const singlePath = '/single';

/** Creates the webhooks of the tenant. A version that has none creates nothing. Returns whether they exist. */
export async function createWebhooks(cluster: Cluster, key: string): Promise<boolean> {
  const send = (method: string, path: string, body?: unknown) =>
    fetch(`${cluster.url}${path}`, {
      method,
      headers: { 'bt-api-key': key, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  const listed = await send('GET', '/webhooks/event-types');
  if (listed.status === 404) return false;
  const settings = [
    { name: 'Batches', path: batchesPath, events: await listed.json(), batch_size: 50 },
    { name: 'Single', path: singlePath, events: ['token.updated', 'token.deleted', 'tenant.invitation.created'] },
  ];
  for (const { path, ...webhook } of settings) {
    const response = await send('POST', '/webhooks', { ...webhook, url: `${cluster.outside.eventsUrl}${path}` });
    if (response.status !== 201) throw new Error(`A webhook was not created: ${await response.text()}`);
  }
  return true;
}
