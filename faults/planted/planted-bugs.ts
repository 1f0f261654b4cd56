/** A plausible bug. It is put into a copy of the source to see whether the suite finds it. */
export interface PlantedBug {
  readonly name: string;
  /** The path below `server/src`. */
  readonly file: string;
  /** Text in that file, which `replace` replaces. */
  readonly find: string;
  readonly replace: string;
  /** Names of the faults that reveal the bug, in order. Empty if the load alone does. */
  readonly faults: readonly string[];
  /** Part of the name of a check that must fail. */
  readonly found: string;
}

export const plantedBugs: readonly PlantedBug[] = [
  {
    name: 'acknowledges before the commit',
    file: 'platform/database/database.ts',
    find: 'await Promise.allSettled([beginning, answering, committing])',
    replace:
      'await Promise.allSettled([beginning, answering, Promise.resolve(committing.catch(() => undefined) && [])])',
    faults: ['primary cut off from the other database machines'],
    found: 'last acknowledged value',
  },
  {
    name: 'commits without waiting for a standby',
    file: 'platform/database/statement.ts',
    find: `return \`begin isolation level read committed; select set_config(`,
    replace: `return \`begin isolation level read committed; set local synchronous_commit = local; select set_config(`,
    faults: ['primary cut off from the other database machines'],
    found: 'last acknowledged value',
  },
  {
    name: 'records a read after its response',
    file: 'platform/audit/record/audit-log.ts',
    find: 'await this.#appendAll(caller, [event]);',
    replace: 'void this.#appendAll(caller, [event]).catch(() => undefined);',
    faults: ['kill -9 of the primary PostgreSQL', 'stalled database connections'],
    found: 'exactly its records',
  },
  {
    name: 'skips a row of a batch',
    file: 'features/tokens/write/token-insert-sql.ts',
    find: `const written = await run(toStatement(target, [...winners.values()]));`,
    replace: `const written = [...(await run(toStatement(target, [...winners.values()].slice(0, Math.max(1, winners.size - 1)))))];
  for (const { id } of winners.values()) if (!written.some((row) => row.id === id)) written.push({ id, created_at: new Date() });`,
    faults: [],
    found: 'last acknowledged value',
  },
  {
    name: 'runs a batch again after its connection was lost',
    file: 'platform/database/tenant-batcher.ts',
    find: 'if (wasRolledBack(error) && !isStandbyMissing(error) && batch.length > 1) {',
    replace: 'if (batch.length > 1) {',
    faults: [
      'responses of the database lost, then its connections reset',
      'responses of the database lost, then its connections reset',
    ],
    found: 'exactly its records',
  },
  {
    name: 'remembers a revoked key for five seconds',
    file: 'features/applications/credentials/forget-changed.ts',
    find: `if (table === 'application_keys' || table === 'sessions') forget((keyId) => keyId === id);`,
    replace: `if (table === 'application_keys' || table === 'sessions') setTimeout(() => forget((keyId) => keyId === id), 5_000);`,
    faults: [],
    found: 'keys and sessions',
  },
  {
    name: 'drops every second notification',
    file: 'platform/database/changes/change-feed.ts',
    find: `    const [name, id] = payload.split(' ');`,
    replace: `    if (Math.random() < 0.5) return;
    const [name, id] = payload.split(' ');`,
    faults: [],
    found: 'keys and sessions',
  },
  {
    name: 'lets sessions live five seconds too long',
    file: 'features/applications/credentials/credential-directory.ts',
    find: 'Date.now() >= known.expiresAt',
    replace: 'Date.now() >= known.expiresAt + 5_000',
    faults: [],
    found: 'keys and sessions',
  },
  {
    name: 'seals past transactions that are under way',
    file: 'platform/audit/seal/seal-store.ts',
    find: 'audit_order(pg_snapshot_xmin(pg_current_snapshot()))::text as "to"',
    replace: 'audit_order(pg_snapshot_xmax(pg_current_snapshot()))::text as "to"',
    faults: ['slow database connections'],
    found: 'log verifies',
  },
  {
    name: 'lets two clients create one deduplicated value',
    file: 'features/tokens/write/fingerprint-claim-store.ts',
    find: 'select $1::uuid, unnest($2::text[])\n      on conflict',
    replace: 'select $1::uuid, unnest($2::text[]) where false\n      on conflict',
    faults: ['slow database connections'],
    found: 'deduplicated value',
  },
  {
    name: 'stores a document piece by piece',
    file: 'features/tokens/write/token-insert-store.ts',
    find: `const createdAt = await this.#database.forTenant(tenantId, async (tx) => {
          await convertIntents(tx, tenantId, listConversions(groups.flat()));
          return insertAllIn(tx, target, [...rows.entries()]);
        });`,
    replace: `let createdAt = new Date(0);
        for (const row of rows.entries()) {
          createdAt = await this.#database.forTenant(tenantId, (tx) => insertAllIn(tx, target, [row]));
        }`,
    faults: Array.from({ length: 4 }, () => 'responses of the database lost, then its connections reset'),
    found: 'refused is not',
  },
  {
    name: 'counts one token too few',
    file: 'features/tokens/model/token-removal-sql.ts',
    find: '-count(*) from gone',
    replace: '-count(*) - 1 from gone',
    faults: [],
    found: 'counters',
  },
  {
    name: 'leaves search terms of deleted tokens',
    file: 'features/tokens/model/token-removal-sql.ts',
    find: 'where l.tenant_id = $1 and l.term = g.term and l.created_at = g.created_at and l.token_id = g.id',
    replace: 'where l.tenant_id = $1 and l.token_id = g.id and false',
    faults: [],
    found: 'counters',
  },
  {
    name: 'gives an invitation up when the mail server is away',
    file: 'features/invitations/mail-invitation-job.ts',
    find: 'if (!(error instanceof MailRefusedError)) throw error;',
    replace: 'if (!(error instanceof Error)) throw error;',
    faults: ['mail server away'],
    found: 'mailed',
  },
  {
    name: 'logs what it seals',
    file: 'features/tokens/write/token-sealer.ts',
    find: 'const isFingerprinted = ',
    replace: 'if (Math.random() < 0.1) process.stderr.write(draft.dataText.reveal());\n    const isFingerprinted = ',
    faults: [],
    found: 'no plaintext',
  },
  {
    name: 'settles events before they are sent',
    file: 'features/webhooks/deliver/endpoint-run.ts',
    find: 'if (due.length === 0 && section === undefined) return undefined;',
    replace: `if (due.length === 0 && section === undefined) return undefined;
      if (section !== undefined) await tx.query({
        text: 'update webhook_positions set position = $3 where tenant_id = $1 and webhook_id = $2',
        values: [tenantId, this.#of.webhookId, section.end],
      });`,
    // Events are under way for a part of the time, and only on one of the two workers.
    faults: Array.from({ length: 8 }, () => 'kill -9 of a worker'),
    found: 'event arrives',
  },
  {
    name: 'leaves a checkpoint out of the log stream',
    file: 'features/log-streams/deliver/stream-batch.ts',
    find: 'this.#lines.push(toCheckpointLine(checkpoint));',
    replace: 'if (Math.random() < 0.8) this.#lines.push(toCheckpointLine(checkpoint));',
    faults: [],
    found: 'log stream',
  },
];
