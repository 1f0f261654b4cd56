import { describe, it } from 'vitest';
import { nodesByDefault } from './nodes-by-default.ts';

const isOnNodes = nodesByDefault > 0;

/**
 * A test that is about one database: it counts its statements, reads their plans, steps through its sweep, restores its backup or
 * changes its schema. What a test asks in SQL of its own is asked of all databases and needs no mark, as `test-nodes.ts` says.
 */
export const itOnOneDatabase = it.skipIf(isOnNodes);

export const describeOnOneDatabase = describe.skipIf(isOnNodes);
