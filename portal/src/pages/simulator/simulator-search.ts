import { pickSearch } from '../../search-text';

/** The simulated application and its target, which are stored in the address. */
const simulatorSearchNames = ['application', 'token', 'container'] as const;
export type SimulatorSearch = { readonly [Name in (typeof simulatorSearchNames)[number]]?: string | undefined };

/** Replaces the application id if the simulated rights are an unsaved draft. */
export const draftSubject = 'draft';

export function parseSimulatorSearch(search: Record<string, unknown>): SimulatorSearch {
  return pickSearch(search, simulatorSearchNames);
}
