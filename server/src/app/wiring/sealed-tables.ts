import { sealedResponses } from '../../features/idempotency/index.ts';
import { sealedTokens } from '../../features/tokens/index.ts';

/** Every table with data encrypted with a tenant's data key. */
export const sealedTables = [sealedTokens, sealedResponses];
