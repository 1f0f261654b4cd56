import type { StreamConfig } from '../../../platform/config/log-stream-config.ts';
import type { Database } from '../../../platform/database/database.ts';
import { StreamStore } from '../model/stream-store.ts';

/** How a configured stream is doing. */
export interface StreamStatus {
  readonly name: string;
  /** The age of the oldest checkpoint that the receiver has not accepted. */
  readonly lagSeconds: number;
  /** Why the last attempt failed; undefined if it did not. */
  readonly failure: string | undefined;
}

/** Returns how each stream is doing. The login must be a member of the role that seals. */
export function readStreamStatus(database: Database, streams: readonly StreamConfig[]): Promise<StreamStatus[]> {
  return database.forSealer(async (tx) => {
    const found: StreamStatus[] = [];
    for (const { name, tenants } of streams) {
      const store = new StreamStore(tx, name);
      found.push({ name, lagSeconds: await store.lagSeconds(tenants), failure: await store.findFailure() });
    }
    return found;
  });
}
