import { pickSearch } from '../../search-text';

/** The filter of the deliveries, and the cursor at which their page starts. */
const names = ['status', 'start'] as const;
export type WebhookSearch = Partial<Record<(typeof names)[number], string>>;

export function parseWebhookSearch(search: Record<string, unknown>): WebhookSearch {
  return pickSearch(search, names);
}
