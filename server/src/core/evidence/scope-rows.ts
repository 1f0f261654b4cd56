import { accessRows } from './access-rows.ts';
import { dataRows } from './data-rows.ts';

/** Every row of docs/pci-scope.md, in the order of the standard. */
export const scopeRows = [...dataRows, ...accessRows] as const;
export type ScopeRowId = (typeof scopeRows)[number]['id'];
