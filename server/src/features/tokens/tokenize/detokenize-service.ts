import { RequestBudget } from '../../../core/budget/request-budget.ts';
import type { KeyCaller } from '../../../core/identity/caller.ts';
import type { Sensitive } from '../../../core/identity/sensitive.ts';
import type { JsonSource } from '../../../core/json/json-source.ts';
import type { AuditLog } from '../../../platform/audit/record/audit-log.ts';
import { compileDocument } from './reference-template.ts';
import { readEvents, type ReferencedTokens } from './referenced-tokens.ts';

/** Replaces references with the values of tokens, as far as the caller may read them. */
export class DetokenizeService {
  readonly #tokens: ReferencedTokens;
  readonly #audit: AuditLog;

  constructor(parts: { tokens: ReferencedTokens; audit: AuditLog }) {
    this.#tokens = parts.tokens;
    this.#audit = parts.audit;
  }

  /**
   * Returns the document as JSON text. The reads are recorded before any value is returned. A failure is recorded too,
   * because it reveals what a value is not.
   */
  async detokenize(caller: KeyCaller, document: JsonSource): Promise<Sensitive<string>> {
    const budget = new RequestBudget();
    const template = compileDocument(document, { budget });
    const judged = await this.#tokens.find(caller, 'token:read', template.uses);
    const events = readEvents(judged);
    const source = await this.#tokens.open(caller, judged, budget);
    const text = await template.render(source).catch(async (error: unknown) => {
      await this.#audit.appendAll(
        caller,
        events.map((event) => ({ ...event, outcome: 'failed' })),
      );
      throw error;
    });
    await this.#audit.appendAll(caller, events);
    return text;
  }
}
