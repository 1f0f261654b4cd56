export { ExportSlots } from './export-slots.ts';
export type { Facet, Log, LogFilter } from './log.ts';
export { addLogCountRoutes } from './log-count-routes.ts';
export { LogCounts } from './log-counts.ts';
export { addLogProofRoutes } from './log-proof-routes.ts';
export { LogProofs } from './log-proofs.ts';
export { addLogRoutes } from './log-routes.ts';
export { parseDate, toFacet } from './log-schemas.ts';
export { LogService } from './log-service.ts';
