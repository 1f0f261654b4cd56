export { rotateDataKey } from './data-rotation.ts';
export { addEncryptionKeyRoutes } from './encryption-key-routes.ts';
export { EncryptionKeyService } from './encryption-keys.ts';
export { rotateExchangeKey } from './exchange-rotation.ts';
export { KeyRetirement, type RetirementReport } from './key-retirement.ts';
export { Reencryption, type ReencryptionReport } from './reencryption.ts';
export { rotateRootKeys } from './root-rotation.ts';
export { rewrapTenant, type TenantRewrapReport } from './tenant-rewrap.ts';
