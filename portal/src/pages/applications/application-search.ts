import { pickSearch } from '../../search-text';

/** The filters and the page number of the list. */
const listNames = ['query', 'type', 'page'] as const;
export type ApplicationsSearch = Partial<Record<(typeof listNames)[number], string>>;

export function parseApplicationsSearch(search: Record<string, unknown>): ApplicationsSearch {
  return pickSearch(search, listNames);
}

/**
 * `edit` is set while the application is being edited, `tab` names the part that is shown, `rotate` is the key that is
 * being replaced, and `key` is the one whose records are shown.
 */
const names = ['edit', 'rotate', 'tab', 'key'] as const;
export type ApplicationSearch = Partial<Record<(typeof names)[number], string>>;

export function parseApplicationSearch(search: Record<string, unknown>): ApplicationSearch {
  return pickSearch(search, names);
}

/** The template that a new application starts from, or what a link fills in. Permissions and origins are
 * separated by commas. */
const newNames = ['template', 'name', 'type', 'permissions', 'origins'] as const;
export type NewApplicationSearch = Partial<Record<(typeof newNames)[number], string>>;

export function parseNewApplicationSearch(search: Record<string, unknown>): NewApplicationSearch {
  return pickSearch(search, newNames);
}
