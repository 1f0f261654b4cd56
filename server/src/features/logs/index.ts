export { ExportSlots } from './export-slots.ts';
export type { Facet, Log, LogFilter } from './log.ts';
export { addLogRoutes } from './log-routes.ts';
export { parseDate } from './log-schemas.ts';
export { LogService } from './log-service.ts';
