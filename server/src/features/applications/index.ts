export { ApplicationKeyService } from './application-key-service.ts';
export { addApplicationKeyRoutes } from './application-key-routes.ts';
export { addApplicationRoutes } from './application-routes.ts';
export { ApplicationService, applicationEvent, noSuchApplication } from './application-service.ts';
export { ApplicationStore } from './application-store.ts';
export { addCatalogRoutes } from './catalog-routes.ts';
export { requireValidSettings } from './application-settings.ts';
export { CredentialDirectory } from './credential-directory.ts';
export { KeyMaker } from './key-maker.ts';
