import { describe, it } from 'vitest';

const isOnNodes = Number(process.env['STRONGROOM_TEST_NODES'] ?? 0) > 0;

/**
 * A test whose own SQL looks for tokens or their records in the home database, which holds none in a vault with nodes, or which counts the
 * statements of one database.
 */
export const itOnOneDatabase = it.skipIf(isOnNodes);

export const describeOnOneDatabase = describe.skipIf(isOnNodes);
