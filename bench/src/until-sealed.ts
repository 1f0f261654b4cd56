import { setTimeout as pause } from 'node:timers/promises';
import type { BenchVault } from './bench-vault.ts';

/** Waits until all records are sealed, so that one measurement does not slow the next. */
export function untilSealed(vault: BenchVault): Promise<void> {
  return vault.withDatabase(async (client) => {
    for (;;) {
      const { rows } = await client.query<{ waiting: boolean }>(
        `select exists (select from audit_records, audit_sealing where sealing_order >= sealed_to) as waiting`,
      );
      if (rows[0]?.waiting !== true) return;
      await pause(200);
    }
  });
}
