import { pickSearch } from '../../search-text';

/** Whose access to what is simulated; the address holds it. */
const simulatorSearchNames = ['application', 'token', 'container'] as const;
export type SimulatorSearch = { readonly [Name in (typeof simulatorSearchNames)[number]]?: string | undefined };

/** In place of the id of an application: rights that are not saved. */
export const draftSubject = 'draft';

export function parseSimulatorSearch(search: Record<string, unknown>): SimulatorSearch {
  return pickSearch(search, simulatorSearchNames);
}
