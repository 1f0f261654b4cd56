import type { ExpiresAt } from '../../../core/expiry/expires-at.ts';
import type { TenantId, TokenId } from '../../../core/identity/ids.ts';
import type { Sensitive } from '../../../core/identity/sensitive.ts';
import type { JsonValue } from '../../../core/json/json-value.ts';
import type { DerivedDetails } from '../../../core/token-types/token-type.ts';

export type Metadata = Readonly<Record<string, string>>;

/** The expressions that a token can be given, each of which shows something of its data to those who may not see all of it. */
export const viewNames = ['mask', 'searchIndexes', 'fingerprintExpression'] as const;
export type ViewName = (typeof viewNames)[number];

/**
 * Who made a view and could see the plaintext of the token then: an application, or null for an operator. A view without an
 * author here was made by somebody who could not, over data that they supplied themselves.
 */
export type ViewAuthors = Readonly<Partial<Record<ViewName, string | null>>>;

/** What is kept of a token beside its data; null where the caller said nothing. */
export interface TokenAttributes {
  readonly type: string;
  /** JSON text; null where the default of the type applies. */
  readonly mask: string | null;
  readonly containers: readonly string[];
  readonly metadata: Metadata | null;
  /** JSON text of the expressions; null where the default of the type applies. */
  readonly searchIndexes: string | null;
  readonly fingerprint: string | null;
  readonly fingerprintExpression: string | null;
  readonly expiresAt: ExpiresAt | null;
  readonly viewAuthors: ViewAuthors;
  /** A masked view shows all of the data, so whoever gets one has seen the plaintext. */
  readonly isMaskWhole: boolean;
}

/** A token as the database holds it: what is sensitive is sealed. */
export interface StoredToken extends TokenAttributes {
  readonly tenantId: TenantId;
  readonly id: TokenId;
  readonly version: number;
  /** Counts the writes of this version that left the data as it is. */
  readonly revision: number;
  readonly data: Buffer;
  readonly terms: readonly Buffer[];
  readonly cvc: { readonly sealed: Buffer; readonly tokenVersion: number } | null;
  /** Null where an operator imported it. */
  readonly createdBy: string | null;
  readonly createdAt: Date;
  readonly modifiedBy: string | null;
  readonly modifiedAt: Date | null;
}

/** A token as one caller may see it. Absent data means that the caller may see none. */
export interface VisibleToken {
  readonly token: StoredToken;
  /** JSON text. */
  readonly data: Sensitive<string> | undefined;
  /** JSON text. */
  readonly mask: string | undefined;
  readonly searchIndexes: readonly string[];
  /** Undefined if the token has none, or this caller may not see it. */
  readonly fingerprint: string | undefined;
  readonly fingerprintExpression: string;
  readonly derived: DerivedDetails | undefined;
  /** Set if the token was there already and stands for the one that was to be created. */
  readonly isDeduplicated?: boolean;
  /** Set if the caller may not read the token that was there: only what identifies it is shown. */
  readonly isReduced?: boolean;
}

/** The whole of what a token's expressions may refer to. The card verification code is never part of it. */
export interface ExpressionScope {
  readonly data: Sensitive<JsonValue>;
  readonly metadata: Metadata;
}
