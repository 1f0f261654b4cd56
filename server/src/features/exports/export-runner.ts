import type { TenantId } from '../../core/identity/ids.ts';
import { recordAllInTransaction, recordInTransaction } from '../../platform/audit/audit-log.ts';
import type { Database, Transaction } from '../../platform/database/database.ts';
import { RowHasher } from '../../platform/keyring/row-hasher.ts';
import { askAllNodes } from '../../platform/nodes/ask-all-nodes.ts';
import { sortIds } from '../../platform/nodes/id-order-store.ts';
import type { Nodes, VaultNode } from '../../platform/nodes/nodes.ts';
import { type StoredToken, toExportLine, type TokenOpener, tokenEvent, type TokenStore } from '../tokens/index.ts';
import { type ExportHead, toHeadLine } from './export-manifest.ts';
import { mergePages } from './merge-pages.ts';
import { requireSameOrder } from './same-order.ts';
import { exportEvent, noSuchExport, type TokenExport } from './token-export.ts';
import { TokenExportStore } from './token-export-store.ts';

/** Of each page, the tokens are read and their audit records durable before any of it is sent. */
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

/** Runs an approved export. It can be started once; if it fails, it must be requested again. */
export class ExportRunner {
  readonly #nodes: Nodes;
  readonly #database: Database;
  readonly #tokens: TokenStore;
  readonly #opener: TokenOpener;
  readonly #tenantId: TenantId;

  constructor(parts: { nodes: Nodes; tokens: TokenStore; opener: TokenOpener; tenantId: TenantId }) {
    this.#nodes = parts.nodes;
    this.#database = parts.nodes.home.database;
    this.#tokens = parts.tokens;
    this.#opener = parts.opener;
    this.#tenantId = parts.tenantId;
  }

  /** Uses up the approval, and records the intent before anything is decrypted. */
  async start(id: string): Promise<TokenExport> {
    if (!this.#nodes.isAlone) await requireSameOrder(this.#nodes);
    const { found, isStarted } = await this.#database.forTenant(this.#tenantId, async (tx) => {
      const store = new TokenExportStore(tx, this.#tenantId);
      const isStarted = await store.start(id);
      const found = await store.find(id);
      if (found === undefined) throw noSuchExport();
      const outcome = isStarted ? 'intent' : 'denied';
      await recordInTransaction(tx, this.#tenantId, 'system', exportEvent(id, 'run', outcome));
      return { found, isStarted };
    });
    if (!isStarted) throw new Error(explain(found));
    return found;
  }

  /** The plaintext, page by page. Every token that exists from start to end is in it exactly once. */
  async *pages(wanted: TokenExport, head: ExportHead): AsyncGenerator<ExportPage> {
    const { hasher, key } = RowHasher.generate();
    yield { text: `${toHeadLine({ ...head, export_id: wanted.id }, key)}\n`, rows: [] };
    for (let after = ''; ; ) {
      const page = this.#nodes.isAlone ? await this.#readPage(wanted, after) : await this.#readFromAll(wanted, after);
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

  /** Tokens and records in one transaction. */
  #readPage(wanted: TokenExport, after: string): Promise<StoredToken[]> {
    return this.#database.forTenant(this.#tenantId, async (tx) => {
      const tokens = await this.#listIn(tx, wanted, after);
      await this.#recordIn(tx, wanted, tokens);
      return tokens;
    });
  }

  /** The next tokens of all nodes, in the order of their ids. Which they are is known once all have been asked. */
  async #readFromAll(wanted: TokenExport, after: string): Promise<StoredToken[]> {
    const pages = await askAllNodes(this.#nodes, { tenantId: this.#tenantId }, (tx) => this.#listIn(tx, wanted, after));
    const ids = pages.flat().map(({ id }) => id);
    const { page, parts } = mergePages(pages, await sortIds(this.#database, this.#tenantId, ids));
    await Promise.all(this.#nodes.all.map((node, index) => this.#recordOn(node, wanted, parts[index] ?? [])));
    return page;
  }

  async #recordOn({ database }: VaultNode, wanted: TokenExport, tokens: readonly StoredToken[]): Promise<void> {
    if (tokens.length === 0) return;
    await database.forTenant(this.#tenantId, (tx) => this.#recordIn(tx, wanted, tokens));
  }

  #listIn(tx: Transaction, { filter }: TokenExport, after: string): Promise<StoredToken[]> {
    return this.#tokens.listIn(tx, this.#tenantId, { after, limit: pageSize, ...filter });
  }

  async #recordIn(tx: Transaction, { id }: TokenExport, tokens: readonly StoredToken[]): Promise<void> {
    const view = { transform: 'reveal', details: { within: id } } as const;
    const events = tokens.map((token) => tokenEvent(token, 'read', view));
    if (events.length > 0) await recordAllInTransaction(tx, this.#tenantId, 'system', events);
  }

  async end(id: string, outcome: { readonly isSuccess: boolean; readonly tokens: number }): Promise<void> {
    await this.#database.forTenant(this.#tenantId, async (tx) => {
      if (outcome.isSuccess) await new TokenExportStore(tx, this.#tenantId).finish(id, outcome.tokens);
      const event = exportEvent(id, 'run', outcome.isSuccess ? 'success' : 'failed');
      await recordInTransaction(tx, this.#tenantId, 'system', { ...event, details: { found: outcome.tokens } });
    });
  }

  /** The operator needs to know which token to repair. */
  async #open(token: StoredToken): ReturnType<TokenOpener['open']> {
    try {
      return await this.#opener.open(token);
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
