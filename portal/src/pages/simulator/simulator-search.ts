import { pickSearch } from '../../search-text';

/** Whose access to what is simulated; the address holds it. */
const simulatorSearchNames = ['application', 'token', 'container'] as const;
export type SimulatorSearch = { readonly [Name in (typeof simulatorSearchNames)[number]]?: string | undefined };

export function parseSimulatorSearch(search: Record<string, unknown>): SimulatorSearch {
  return pickSearch(search, simulatorSearchNames);
}
