import { pickSearch } from '../../search-text';

/** What the list is filtered by, and its page. */
const listNames = ['query', 'type', 'page'] as const;
export type ApplicationsSearch = Partial<Record<(typeof listNames)[number], string>>;

export function parseApplicationsSearch(search: Record<string, unknown>): ApplicationsSearch {
  return pickSearch(search, listNames);
}

/** Whether the application is being edited, or the key that is being replaced. */
const names = ['edit', 'rotate'] as const;
export type ApplicationSearch = Partial<Record<(typeof names)[number], string>>;

export function parseApplicationSearch(search: Record<string, unknown>): ApplicationSearch {
  return pickSearch(search, names);
}

/** What a new application starts from. */
export type NewApplicationSearch = Partial<Record<'template', string>>;

export function parseNewApplicationSearch(search: Record<string, unknown>): NewApplicationSearch {
  return pickSearch(search, ['template']);
}
