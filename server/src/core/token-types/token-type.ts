import type { FieldErrors } from '../errors/domain-error.ts';
import type { Sensitive } from '../identity/sensitive.ts';
import type { JsonValue } from '../json/json-value.ts';

/** The rules and defaults that distinguish one type of token from another. */
export interface TokenType {
  readonly name: string;
  /** Returns every problem at once, by path from the token: `data` for the value itself, `data.number` for a member. */
  readonly validate: (data: Sensitive<JsonValue>) => FieldErrors | undefined;
  readonly defaultContainers: readonly string[];
  /** An expression or a tree of expressions. Without one, a masked view has no data at all. */
  readonly defaultMask: JsonValue | undefined;
  /** The main member of the data. Anyone who sees it has seen the plaintext, whatever else is hidden. */
  readonly essentialMember?: string;
  readonly defaultFingerprintExpression: string;
  readonly defaultSearchIndexes: readonly string[];
  /** Returns the parts of valid data that a response may show beside the mask; undefined if there are none. */
  readonly derive?: (data: Sensitive<JsonValue>) => DerivedDetails | undefined;
}

/** Details with the names of the wire format, because they are copied into the response unchanged. */
export interface DerivedDetails {
  readonly card?: CardDetails;
  readonly bank?: BankDetails;
}

export interface CardDetails {
  readonly bin: string;
  readonly last4: string;
  readonly brand?: string;
  readonly expiration_month?: number;
  readonly expiration_year?: number;
}

export interface BankDetails {
  readonly routing_number: string;
  readonly account_number_last4: string;
}
