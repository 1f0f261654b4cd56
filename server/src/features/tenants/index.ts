export { purgeTenantJob } from './purge-tenant-job.ts';
export { type FirstApplication, TenantMaker } from './tenant-maker.ts';
export { addTenantRoutes } from './tenant-routes.ts';
export {
  type DeduplicationBehavior,
  readTenantSettings,
  type TenantSettings,
  TenantSettingsDirectory,
} from './tenant-settings.ts';
export { TenantService } from './tenant-service.ts';
