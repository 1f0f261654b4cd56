export { addClientKeyRoutes } from './client-key-routes.ts';
export { ClientKeyService } from './client-key-service.ts';
export { EncryptedDataOpener } from './encrypted-data-opener.ts';
export { sealedClientKeys } from './sealed-client-keys-sql.ts';
export { sweepClientKeysJob } from './sweep-client-keys-job.ts';
export { PublicKeyFinder } from './public-key-finder.ts';
