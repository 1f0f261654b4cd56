import type { Check } from './check.ts';

/** The maximum accepted difference between the clocks of a client and the database. */
const toleranceMs = 500;

/**
 * A database restored to a point in time must contain everything acknowledged before it, and the vault must be able to
 * decrypt it.
 */
export const backupsCheck: Check = {
  name: 'backups restore to a moment, and all of them can be decrypted',
  run: ({ entries, cluster }) => {
    const findings: string[] = [];
    const deleted = new Set(entries.filter(({ operation }) => operation === 'delete').map(({ facts }) => facts['id']));
    for (const { moment, tokenIds, complaint } of cluster.backups.restored) {
      if (complaint !== undefined) findings.push(complaint);
      for (const { operation, outcome, endedAt, facts } of entries) {
        if (operation !== 'create' || outcome !== 'done' || endedAt > moment - toleranceMs) continue;
        const id = String(facts['id']);
        if (!tokenIds.has(id) && !deleted.has(id))
          findings.push(`${id} was acknowledged before and is not in the backup`);
      }
    }
    return findings;
  },
};
