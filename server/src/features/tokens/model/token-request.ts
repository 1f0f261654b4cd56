import type { Sensitive } from '../../../core/identity/sensitive.ts';
import type { JsonValue } from '../../../core/json/json-value.ts';
import type { Metadata } from './token.ts';

/** A wish for a token, as it came in: shapes are right, contents are not yet checked. */
export interface TokenRequest {
  /** Where it stands in the request, for messages: empty for a request of its own, `cards.0` inside a larger one. */
  readonly path: string;
  readonly id: string | undefined;
  readonly type: string;
  readonly data: Sensitive<JsonValue>;
  /** The text of `data`, as it was sent. */
  readonly dataText: Sensitive<string>;
  readonly mask: JsonValue | undefined;
  readonly containers: readonly string[] | undefined;
  readonly metadata: Metadata | undefined;
  readonly searchIndexes: readonly string[] | undefined;
  readonly fingerprintExpression: string | undefined;
  readonly deduplicate: boolean | undefined;
  readonly expiresAt: string | undefined;
}

/** A merge patch of a token (RFC 7386): undefined leaves a field as it is, null takes it back to its default. */
export interface TokenPatch {
  /** Must equal the stored type, which never changes. */
  readonly type?: string | undefined;
  readonly data: Sensitive<JsonValue> | undefined;
  /** The text of `data`, as it was sent. */
  readonly dataText: Sensitive<string> | undefined;
  readonly mask: JsonValue | undefined;
  readonly metadata: Readonly<Record<string, string | null>> | null | undefined;
  readonly containers: readonly string[] | null | undefined;
  readonly searchIndexes: readonly string[] | null | undefined;
  readonly fingerprintExpression: string | null | undefined;
  readonly deduplicate: boolean | undefined;
  readonly expiresAt: string | null | undefined;
}
