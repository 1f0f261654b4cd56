import type { ExpiresAt } from '../../../core/expiry/expires-at.ts';
import type { TenantId, TokenId } from '../../../core/identity/ids.ts';
import type { Sensitive } from '../../../core/identity/sensitive.ts';
import type { JsonValue } from '../../../core/json/json-value.ts';
import type { DerivedDetails } from '../../../core/token-types/token-type.ts';
import type { FieldBinding } from '../../../platform/keyring/keys/tenant-keyring.ts';

export type Metadata = Readonly<Record<string, string>>;

/** The expressions that a token can have. Each of them shows some of the data to callers that may not see all of it. */
export const viewNames = ['mask', 'searchIndexes', 'fingerprintExpression'] as const;
export type ViewName = (typeof viewNames)[number];

/**
 * The author of each view, if the author could see the plaintext of the token at that time: an application, or null for
 * an operator. A view without an entry was created by a caller that could not see the plaintext, over data that it
 * supplied itself.
 */
export type ViewAuthors = Readonly<Partial<Record<ViewName, string | null>>>;

/** Everything stored for a token besides its data. A field is null if the caller gave no value. */
export interface TokenAttributes {
  readonly type: string;
  /** JSON text. Null if the default of the type applies. */
  readonly mask: string | null;
  readonly containers: readonly string[];
  readonly metadata: Metadata | null;
  /** JSON text of the expressions. Null if the default of the type applies. */
  readonly searchIndexes: string | null;
  readonly fingerprint: string | null;
  readonly fingerprintExpression: string | null;
  readonly expiresAt: ExpiresAt | null;
  readonly viewAuthors: ViewAuthors;
  /** True if a masked view shows all of the data, so that a caller that gets one has seen the plaintext. */
  readonly isMaskWhole: boolean;
}

/** A token as stored in the database. Sensitive fields are sealed. */
export interface StoredToken extends TokenAttributes {
  readonly tenantId: TenantId;
  readonly id: TokenId;
  readonly version: number;
  /** The number of writes to this version that left the data unchanged. */
  readonly revision: number;
  readonly data: Buffer;
  readonly terms: readonly Buffer[];
  readonly cvc: { readonly sealed: Buffer; readonly tokenVersion: number } | null;
  /** Null if an operator imported the token. */
  readonly createdBy: string | null;
  readonly createdAt: Date;
  readonly modifiedBy: string | null;
  readonly modifiedAt: Date | null;
}

/** A token that is encrypted and ready to be written. */
export type SealedToken = Omit<StoredToken, 'createdAt' | 'modifiedBy' | 'modifiedAt'>;

/** A token as one caller may see it. If data is absent, the caller may not see any. */
export interface VisibleToken {
  readonly token: StoredToken;
  /** JSON text. */
  readonly data: Sensitive<string> | undefined;
  /** JSON text. */
  readonly mask: string | undefined;
  readonly searchIndexes: readonly string[];
  /** Undefined if the token has no fingerprint or this caller may not see it. */
  readonly fingerprint: string | undefined;
  readonly fingerprintExpression: string;
  readonly derived: DerivedDetails | undefined;
  /** True if the token already existed and is returned instead of a new one. */
  readonly isDeduplicated?: boolean;
  /** True if the caller may not read the existing token, so that only its identifying fields are shown. */
  readonly isReduced?: boolean;
}

/** Everything that a token's expressions may refer to. The card verification code is never part of it. */
export interface ExpressionScope {
  readonly data: Sensitive<JsonValue>;
  readonly metadata: Metadata;
}

/**
 * Returns the context that a sealed field is bound to. A field that is moved to another token, field, type or version
 * does not open.
 */
export function tokenBinding(
  token: { readonly id: string; readonly type: string; readonly version: number },
  field: 'data' | 'cvc',
): FieldBinding {
  return { tokenId: token.id, field, recordVersion: token.version, type: token.type };
}

/** Returns the search indexes that the token was given, or undefined if the default of the type applies. */
export function parseSearchIndexes({ searchIndexes }: StoredToken): readonly string[] | undefined {
  if (searchIndexes === null) return undefined;
  const parsed: unknown = JSON.parse(searchIndexes);
  if (!isTextList(parsed)) throw new TypeError('Search indexes are stored as a list of texts.');
  return parsed;
}

function isTextList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}
