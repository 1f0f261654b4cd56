import { LRUCache } from 'lru-cache';
import type { TenantId } from '../../../core/identity/ids.ts';
import type { Database } from '../../../platform/database/database.ts';
import { isOutOfTime } from '../../../platform/database/database-error.ts';
import { TenantBatcher } from '../../../platform/database/tenant-batcher.ts';
import { FairLanes } from '../../../platform/waiting/fair-lanes.ts';
import { type CountedPage, findQuickly, isQuick, type PageQuestion } from './token-page.ts';

/**
 * All statements of a batch are sent at once, two for each query. All of them must finish before the connection is
 * considered dead, which happens two seconds after the timeout of a single statement.
 */
const questionsMax = 4;
const statementTimeoutMs = 250;
/** The time for which a tenant's lists skip the quick path after a quick find was too slow. */
const slowMs = 10_000;
const slowTenantsMax = 10_000;

/**
 * Finds pages that take little time. Concurrent requests of a tenant share one transaction, because its begin and
 * commit cost as much as the statements. These pages do not occupy the slots of slow lists.
 */
export class QuickTokenFinds {
  /** Slots for pages that are found but not yet recorded. They limit how many pages of a tenant are in memory. */
  readonly #slots = new FairLanes({ slotsMax: 128, tenantMax: 32, waitingMax: 500, waitMaxMs: 5_000 });
  readonly #slowTenants = new LRUCache<TenantId, true>({ max: slowTenantsMax, ttl: slowMs });
  readonly #batcher: TenantBatcher<PageQuestion, CountedPage | 'slow'>;

  constructor(database: Database) {
    this.#batcher = new TenantBatcher({
      name: 'token-list',
      meter: database.batches,
      itemsMax: questionsMax,
      queueMax: 500,
      batchesMax: 2,
      isChange: false,
      run: (tenantId, questions) => this.#findAll(database, tenantId, questions),
    });
  }

  /** Finds a page and returns the result of `use`. Returns undefined if the page is not quick to find. */
  async find<Result>(
    question: PageQuestion,
    use: (found: CountedPage) => Promise<Result>,
  ): Promise<Result | undefined> {
    const { tenantId } = question;
    if (!isQuick(question) || this.#slowTenants.has(tenantId)) return undefined;
    return this.#slots.run(tenantId, async () => {
      const found = await this.#batcher.add(tenantId, question);
      return found === 'slow' ? undefined : use(found);
    });
  }

  async #findAll(
    database: Database,
    tenantId: TenantId,
    questions: readonly PageQuestion[],
  ): Promise<(CountedPage | 'slow')[]> {
    try {
      return await database.forTenant(
        tenantId,
        (tx) => Promise.all(questions.map(async (question) => (await findQuickly(tx, question)) ?? 'slow')),
        { statementTimeoutMs },
      );
    } catch (error) {
      if (!isOutOfTime(error)) throw error;
      this.#slowTenants.set(tenantId, true);
      return questions.map(() => 'slow' as const);
    }
  }
}
