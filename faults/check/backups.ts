import type { Check } from './check.ts';

/** How exactly the time of a client and that of the database agree. */
const toleranceMs = 500;

/** A database that was restored to a moment holds what was acknowledged before it, and the vault can decrypt all of it. */
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
