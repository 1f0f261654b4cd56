import type { Caller } from '../../core/identity/caller.ts';
import type { JsonValue } from '../../core/json/json-value.ts';
import type { AuditLog } from '../../platform/audit/audit-log.ts';
import { compileDocument } from './reference-template.ts';
import type { ReferencedTokens } from './referenced-tokens.ts';
import { tokenEvent } from './token-event.ts';

/** Puts the values of tokens in the place of their references, as far as the caller may read them. */
export class DetokenizeService {
  readonly #tokens: ReferencedTokens;
  readonly #audit: AuditLog;

  constructor(parts: { tokens: ReferencedTokens; audit: AuditLog }) {
    this.#tokens = parts.tokens;
    this.#audit = parts.audit;
  }

  /** Recorded before any value leaves. */
  async detokenize(caller: Caller, document: JsonValue): Promise<JsonValue> {
    const template = compileDocument(document);
    const judged = await this.#tokens.find(caller, 'token:read', template.tokenIds);
    const [source] = await Promise.all([
      this.#tokens.open(judged),
      this.#audit.appendAll(
        caller,
        judged.map(({ token }) => tokenEvent(token, 'read')),
      ),
    ]);
    return template.render(source);
  }
}
