import { pickSearch } from '../../search-text';

/** The filters and the page number of the list. */
const listNames = ['query', 'type', 'page'] as const;
export type ApplicationsSearch = Partial<Record<(typeof listNames)[number], string>>;

export function parseApplicationsSearch(search: Record<string, unknown>): ApplicationsSearch {
  return pickSearch(search, listNames);
}

/** `edit` is set while the application is being edited. `rotate` is the key that is being replaced. */
const names = ['edit', 'rotate'] as const;
export type ApplicationSearch = Partial<Record<(typeof names)[number], string>>;

export function parseApplicationSearch(search: Record<string, unknown>): ApplicationSearch {
  return pickSearch(search, names);
}

/** The template that a new application starts from. */
export type NewApplicationSearch = Partial<Record<'template', string>>;

export function parseNewApplicationSearch(search: Record<string, unknown>): NewApplicationSearch {
  return pickSearch(search, ['template']);
}
