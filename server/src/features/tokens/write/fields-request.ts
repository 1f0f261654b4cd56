import { maskedPathOf, mayShowEnd } from '../../../core/expressions/fields-mask.ts';
import { compileTemplate } from '../../../core/expressions/template.ts';
import { findValue } from '../../../core/expressions/scope-path.ts';
import type { JsonValue } from '../../../core/json/json-value.ts';
import { invalidAt, namingField, type TokenPatch, type TokenRequest } from '../model/token-request.ts';

/**
 * A script on the page chooses everything about a token of card fields except the typed values, and sees the response.
 * With an expression that fails for some values, or shows a part of a value, the script could find out the values. The
 * frame performs the same checks before it sends a request.
 */

type Views = Pick<TokenRequest | TokenPatch, 'mask' | 'searchIndexes' | 'fingerprintExpression'> &
  Partial<Pick<TokenPatch, 'data'>>;

type ViewRequest = Views & { readonly path?: string; readonly id?: string | undefined };

/** Throws if a token request from card fields could reveal anything about the typed values to the page. */
export function requireHarmlessInFields(request: ViewRequest): void {
  requireHarmless(request, 'in card fields');
}

/** Throws if a token request could reveal anything about its data. `where` completes the messages. */
export function requireHarmless(request: ViewRequest, where: string): void {
  const { path = '', id, mask, data, searchIndexes, fingerprintExpression } = request;
  if (id?.includes('{{') === true) throw invalidAt(path, 'id', `cannot be an expression ${where}`);
  for (const [index, text] of (searchIndexes ?? []).entries()) {
    const field = `search_indexes.${index}`;
    const [first, ...others] = listExpressions(path, field, text);
    if (first === undefined || others.length > 0 || typeof first === 'string' || !isWholeMember(first))
      throw invalidAt(path, field, `can only name a whole member ${where}, such as {{ data.number }}`);
  }
  const parts = listExpressions(path, 'fingerprint_expression', fingerprintExpression ?? '');
  if (!parts.every((part) => typeof part === 'string' || isWholeMember(part)))
    throw invalidAt(path, 'fingerprint_expression', `can only name whole members ${where}, such as {{ data.number }}`);
  if (!listTexts(mask ?? null).every((text) => isHarmlessMask(text, data?.reveal())))
    throw invalidAt(
      path,
      'mask',
      `can only use reveal_last with at most 4 characters or card_mask ${where}, on values longer than 8 characters`,
    );
}

function listExpressions(path: string, field: string, text: string) {
  return namingField(path, field, () => compileTemplate(text).parts);
}

function isWholeMember({ path, filters }: { readonly path: readonly string[]; readonly filters: readonly unknown[] }) {
  return path[0] === 'data' && filters.length === 0;
}

/** Checks a mask against the data of the request, because a mask can show all of a short value. */
function isHarmlessMask(text: string, data: JsonValue | undefined): boolean {
  if (!text.includes('{{')) return true;
  const path = maskedPathOf(text);
  return path !== undefined && data !== undefined && mayShowEnd(findValue({ data }, path));
}

function listTexts(value: JsonValue): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(listTexts) : [];
}
