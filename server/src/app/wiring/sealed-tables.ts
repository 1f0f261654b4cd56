import { sealedClientKeys } from '../../features/client-keys/index.ts';
import { sealedResponses } from '../../features/idempotency/index.ts';
import { sealedStoredProxies } from '../../features/stored-proxies/index.ts';
import { sealedTokenIntents, sealedTokens } from '../../features/tokens/index.ts';
import { sealedWebhooks } from '../../features/webhooks/index.ts';

/** Every table with data encrypted with a tenant's data key. */
export const sealedTables = [
  sealedTokens,
  sealedTokenIntents,
  sealedResponses,
  sealedClientKeys,
  sealedStoredProxies,
  sealedWebhooks,
];
