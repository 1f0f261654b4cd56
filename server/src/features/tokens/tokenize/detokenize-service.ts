import { RequestBudget } from '../../../core/budget/request-budget.ts';
import type { Caller } from '../../../core/identity/caller.ts';
import type { Sensitive } from '../../../core/identity/sensitive.ts';
import type { JsonSource } from '../../../core/json/json-source.ts';
import type { AuditLog } from '../../../platform/audit/audit-log.ts';
import { compileDocument } from './reference-template.ts';
import type { ReferencedTokens } from './referenced-tokens.ts';
import { tokenEvent } from '../model/token-event.ts';

/** Puts the values of tokens in the place of their references, as far as the caller may read them. */
export class DetokenizeService {
  readonly #tokens: ReferencedTokens;
  readonly #audit: AuditLog;

  constructor(parts: { tokens: ReferencedTokens; audit: AuditLog }) {
    this.#tokens = parts.tokens;
    this.#audit = parts.audit;
  }

  /** The document as JSON text. Recorded before any value leaves. */
  async detokenize(caller: Caller, document: JsonSource): Promise<Sensitive<string>> {
    const budget = new RequestBudget();
    const template = compileDocument(document, budget);
    const judged = await this.#tokens.find(caller, 'token:read', template.tokenIds);
    const [source] = await Promise.all([
      this.#tokens.open(caller, judged, budget),
      this.#audit.appendAll(
        caller,
        judged.map(({ token }) => tokenEvent(token, 'read')),
      ),
    ]);
    return template.render(source);
  }
}
