import type { TenantId } from '../../core/identity/ids.ts';
import { recordAllInTransaction, recordInTransaction } from '../../platform/audit/record/audit-log.ts';
import type { Database } from '../../platform/database/database.ts';
import { requireOpenTenant } from '../../platform/database/open-tenant.ts';
import { RowHasher } from '../../platform/keyring/sealing/row-hasher.ts';
import { type StoredToken, toExportLine, type TokenOpener, tokenEvent, type TokenStore } from '../tokens/index.ts';
import { type ExportHead, toHeadLine } from './export-manifest.ts';
import { exportEvent, noSuchExport, type TokenExport } from './token-export.ts';
import { TokenExportStore } from './token-export-store.ts';

/**
 * Tokens per page. Each page is one transaction: the audit records of its tokens are durable before any of the page is
 * sent.
 */
const pageSize = 500;

export interface ExportedRow {
  readonly id: string;
  readonly hash: string;
}

export interface ExportPage {
  /** JSON lines, each with its line end. */
  readonly text: string;
  readonly rows: readonly ExportedRow[];
}

interface ExportRunnerParts {
  readonly database: Database;
  readonly tokens: TokenStore;
  readonly opener: TokenOpener;
  readonly tenantId: TenantId;
}

/** Runs an approved export. It can be started once; if it fails, it must be requested again. */
export class ExportRunner {
  readonly #parts: ExportRunnerParts;

  constructor(parts: ExportRunnerParts) {
    this.#parts = parts;
  }

  /** Uses up the approval, and records the intent before anything is decrypted. */
  async start(id: string): Promise<TokenExport> {
    const { found, isStarted } = await this.#parts.database.forTenant(this.#parts.tenantId, async (tx) => {
      await requireOpenTenant(tx, this.#parts.tenantId);
      const store = new TokenExportStore(tx, this.#parts.tenantId);
      const isStarted = await store.start(id);
      const found = await store.find(id);
      if (found === undefined) throw noSuchExport();
      const outcome = isStarted ? 'intent' : 'denied';
      await recordInTransaction(tx, this.#parts.tenantId, 'system', exportEvent(id, 'run', outcome));
      return { found, isStarted };
    });
    if (!isStarted) throw new Error(explain(found));
    return found;
  }

  /** Yields the plaintext page by page. Every token that exists for the whole run is included exactly once. */
  async *pages({ id, filter }: TokenExport, head: ExportHead): AsyncGenerator<ExportPage> {
    const { hasher, key } = RowHasher.generate();
    yield { text: `${toHeadLine({ ...head, export_id: id }, key)}\n`, rows: [] };
    for (let after = ''; ; ) {
      const from = after;
      const page = await this.#parts.database.forTenant(this.#parts.tenantId, async (tx) => {
        // A running export stops if the tenant is deleted.
        await requireOpenTenant(tx, this.#parts.tenantId);
        const tokens = await this.#parts.tokens.listIn(tx, this.#parts.tenantId, {
          after: from,
          limit: pageSize,
          ...filter,
        });
        const view = { transform: 'reveal', details: { within: id } } as const;
        const events = tokens.map((token) => tokenEvent(token, 'read', view));
        if (events.length > 0) await recordAllInTransaction(tx, this.#parts.tenantId, 'system', events);
        return tokens;
      });
      const lines: string[] = [];
      const rows: ExportedRow[] = [];
      for (const token of page) {
        const line = toExportLine(token, (await this.#open(token)).dataText);
        lines.push(`${line}\n`);
        rows.push({ id: token.id, hash: hasher.hash(line) });
      }
      const last = page.at(-1);
      if (last === undefined) return;
      yield { text: lines.join(''), rows };
      after = last.id;
    }
  }

  async end(id: string, outcome: { readonly isSuccess: boolean; readonly tokens: number }): Promise<void> {
    await this.#parts.database.forTenant(this.#parts.tenantId, async (tx) => {
      if (outcome.isSuccess) await new TokenExportStore(tx, this.#parts.tenantId).finish(id, outcome.tokens);
      const event = exportEvent(id, 'run', outcome.isSuccess ? 'success' : 'failed');
      await recordInTransaction(tx, this.#parts.tenantId, 'system', { ...event, details: { found: outcome.tokens } });
    });
  }

  /** Decrypts a token. An error names the token, because the operator needs to know which one to repair. */
  async #open(token: StoredToken): ReturnType<TokenOpener['open']> {
    try {
      return await this.#parts.opener.open(token);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new Error(`The export stopped at token ${token.id}. ${reason}`, { cause: error });
    }
  }
}

function explain({ status, approvals, approvalsNeeded }: TokenExport): string {
  switch (status) {
    case 'waiting':
      return `This export has ${approvals.length} of ${approvalsNeeded} approvals. Owners and admins of the tenant can approve it in the portal.`;
    case 'refused':
      return 'This export was refused. Request another with `strongroom export request`.';
    case 'expired':
      return 'This export has expired. Request another with `strongroom export request`.';
    case 'started':
    case 'finished':
    case 'approved':
      return 'This export has already been run, and an approval is valid for one run. Request another with `strongroom export request`.';
  }
}
