import { api, type Schemas, unwrap } from './client';

export type Webhook = Schemas['Webhook'];
export type WebhookWithSecret = Schemas['WebhookWithSecret'];
export type Delivery = Schemas['WebhookDelivery'];
export type WebhookSettings = Schemas['CreateWebhookRequest'];

/** A tenant has no more webhooks than fit on a few pages, so the portal shows the newest. */
export const webhooksShown = 50;
export const deliveryStatuses = ['waiting', 'failed', 'delivered'] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];

const at = (id: string) => ({ params: { path: { id } } });

export const listWebhooks = () => unwrap(api.GET('/webhooks', { params: { query: { size: webhooksShown } } }));
export const listEventTypes = () => unwrap(api.GET('/webhooks/event-types'));
export const getWebhook = (id: string) => unwrap(api.GET('/webhooks/{id}', at(id)));
export const createWebhook = (body: WebhookSettings) => unwrap(api.POST('/webhooks', { body }));
export const deleteWebhook = (id: string) => unwrap(api.DELETE('/webhooks/{id}', at(id)));
export const rotateSecret = (id: string) => unwrap(api.POST('/webhooks/{id}/rotate-secret', at(id)));

/**
 * Changes some settings. The vault replaces all of them, so the others are loaded first: the page may have been open
 * since before somebody else moved the webhook to another server.
 */
export async function changeWebhook(
  id: string,
  change: Partial<WebhookSettings> & { readonly status?: Webhook['status'] },
) {
  const now = await getWebhook(id);
  const { name, url, notify_email, containers, batch_size, bt_signature } = now;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the vault returned these types.
  const events = now.events as WebhookSettings['events'];
  const kept = { name, url, events, batch_size, bt_signature };
  const body = { ...kept, notify_email: notify_email ?? null, containers: containers ?? null, ...change };
  return unwrap(api.PUT('/webhooks/{id}', { ...at(id), body }));
}

export function listDeliveries(
  id: string,
  { status, start }: { readonly status: DeliveryStatus | undefined; readonly start: string | undefined },
) {
  const query = { ...(status === undefined ? {} : { status }), ...(start === undefined ? {} : { start }) };
  return unwrap(api.GET('/webhooks/{id}/deliveries', { params: { path: { id }, query } }));
}

export function resendDelivery(id: string, deliveryId: string) {
  return unwrap(api.POST('/webhooks/{id}/deliveries/{deliveryId}/resend', { params: { path: { id, deliveryId } } }));
}

export function resendSince(id: string, since: string) {
  return unwrap(api.POST('/webhooks/{id}/resend', { ...at(id), body: { since } }));
}
