import { DomainError } from '../../../core/errors/domain-error.ts';
import { Sensitive } from '../../../core/identity/sensitive.ts';
import { jsonDepthMax, jsonValuesMax } from '../../../core/json/json-limits.ts';
import type { JsonValue } from '../../../core/json/json-value.ts';
import { parseJsonSteps } from '../../../core/json/parse-json.ts';
import { findTokenType } from '../../../core/token-types/token-type-catalog.ts';
import { inTurns } from '../../../platform/waiting/turns.ts';
import type { TokenRequest } from './token-request.ts';

/** Returns what a client has encrypted, as data of a type. Some clients encrypt a text without its quotes. */
export async function toDecryptedData(
  type: string,
  text: Sensitive<string>,
): Promise<Pick<TokenRequest, 'data' | 'dataText'>> {
  const data = await parseIfJson(text);
  if (data === undefined || (typeof data !== 'string' && isTextType(type))) {
    return { data: text, dataText: new Sensitive(JSON.stringify(text.reveal())) };
  }
  return { data: new Sensitive(data), dataText: new Sensitive(text.reveal().trim()) };
}

async function parseIfJson(text: Sensitive<string>): Promise<JsonValue | undefined> {
  try {
    return await inTurns(parseJsonSteps(text.reveal(), { depthMax: jsonDepthMax, valuesMax: jsonValuesMax }));
  } catch (error) {
    if (error instanceof DomainError && error.code === 'malformed-json') return undefined;
    throw error;
  }
}

/** Returns true for types whose data is always a text, such as a card number. */
function isTextType(type: string): boolean {
  return type !== 'token' && findTokenType(type)?.essentialMember === undefined;
}
