export { purgeTenantJob } from './purge-tenant-job.ts';
export { type FirstApplication, TenantMaker } from './tenant-maker.ts';
export { type TenantOverview, TenantOverviews, type TenantSummary } from './tenant-overview.ts';
export { addTenantRoutes } from './tenant-routes.ts';
export {
  type DeduplicationBehavior,
  readTenantSettings,
  type TenantSettings,
  TenantSettingsDirectory,
} from './tenant-settings.ts';
export { TenantService } from './tenant-service.ts';
