export { SettingSwitch, type SwitchedSetting } from './setting-switch.ts';
export { SettingsApproval } from './settings-approval.ts';
export { addFailedJobRoutes } from './failed-job-routes.ts';
export { FailedJobs } from './failed-jobs.ts';
export { purgeTenantJob } from './purge-tenant-job.ts';
export { removeTenantsJob } from './remove-tenants-job.ts';
export { TenantDeletion } from './tenant-deletion.ts';
export { addTenantRestoreRoute } from './tenant-deletion-routes.ts';
export { type FirstApplication, TenantMaker } from './tenant-maker.ts';
export { type TenantOverview, TenantOverviews, type TenantSummary } from './tenant-overview.ts';
export { addTenantRoutes } from './tenant-routes.ts';
export {
  type DeduplicationBehavior,
  readTenantSettings,
  readTenantType,
  type TenantSettings,
  TenantSettingsDirectory,
} from './tenant-settings.ts';
export { TenantService } from './tenant-service.ts';
