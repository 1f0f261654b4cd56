import type { Sensitive } from '../../../core/identity/sensitive.ts';
import type { JsonValue } from '../../../core/json/json-value.ts';
import type { Metadata } from './token.ts';

/** A request for a token as received. Its shape is valid, but its contents are not yet checked. */
export interface TokenRequest {
  /**
   * The position in the request body, for messages. It is empty if the request is for one token, or `cards.0` inside a
   * larger one.
   */
  readonly path: string;
  readonly id: string | undefined;
  readonly type: string;
  readonly data: Sensitive<JsonValue>;
  /** The JSON text of `data` as sent. */
  readonly dataText: Sensitive<string>;
  readonly mask: JsonValue | undefined;
  readonly containers: readonly string[] | undefined;
  readonly metadata: Metadata | undefined;
  readonly searchIndexes: readonly string[] | undefined;
  readonly fingerprintExpression: string | undefined;
  readonly deduplicate: boolean | undefined;
  readonly expiresAt: string | undefined;
}

/** A merge patch of a token (RFC 7386). Undefined leaves a field unchanged, and null resets it to its default. */
export interface TokenPatch {
  /** This must equal the stored type, which never changes. */
  readonly type?: string | undefined;
  readonly data: Sensitive<JsonValue> | undefined;
  /** The JSON text of `data` as sent. */
  readonly dataText: Sensitive<string> | undefined;
  readonly mask: JsonValue | undefined;
  readonly metadata: Readonly<Record<string, string | null>> | null | undefined;
  readonly containers: readonly string[] | null | undefined;
  readonly searchIndexes: readonly string[] | null | undefined;
  readonly fingerprintExpression: string | null | undefined;
  readonly deduplicate: boolean | undefined;
  readonly expiresAt: string | null | undefined;
}
