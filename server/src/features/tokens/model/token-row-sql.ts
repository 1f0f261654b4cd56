import type { TenantId, TokenId } from '../../../core/identity/ids.ts';
import { tokenLimits } from '../../../core/token-limits.ts';
import { loopPace } from '../../../platform/waiting/tenant-pace.ts';
import { weighData } from '../../../platform/waiting/work-weight.ts';
import type { Metadata, SealedToken, StoredToken, ViewAuthors } from './token.ts';
import { toShelfKey } from './token-shelf.ts';

/** Facts about the views of a token. They are valid only for this version of the token. */
interface StoredViews {
  readonly version: number;
  readonly authors?: ViewAuthors;
  readonly isMaskWhole?: boolean;
}

/** A token as a query returns it. */
export interface TokenRow {
  readonly id: TokenId;
  readonly type: string;
  readonly version: number;
  readonly revision: number | null;
  readonly data: Buffer;
  readonly mask: string | null;
  readonly containers: string[];
  readonly metadata: Metadata | null;
  readonly search_indexes: string | null;
  readonly fingerprint: string | null;
  readonly fingerprint_expression: string | null;
  readonly views: StoredViews | null;
  readonly is_mask_whole: boolean | null;
  readonly terms: Buffer[];
  readonly expires_at: Date | null;
  readonly expires_at_offset_minutes: number | null;
  readonly created_by: string | null;
  readonly created_at: Date;
  readonly modified_by: string | null;
  readonly modified_at: Date | null;
  readonly cvc: Buffer | null;
  readonly cvc_token_version: number | null;
}

/**
 * Earlier server versions did not record whether a mask shows everything. For masks from such versions, only the
 * simplest one is recognized, by its text.
 */
const isMaskWhole = String.raw`case when t.mask is null then false when (t.views ->> 'version')::integer = t.version
  then coalesce((t.views ->> 'isMaskWhole')::boolean, false) else t.mask ~ '^"\{\{ *data *\}\}"$' end`;

/** The columns of `TokenRow`, for a query over `tokens` as `t` and `joinCvc`. */
export const tokenColumns = `t.id, t.type, t.version, t.revision, t.data, t.mask, t.containers, t.metadata, t.search_indexes,
  t.fingerprint, t.fingerprint_expression, t.views, ${isMaskWhole} as is_mask_whole, t.terms, t.expires_at, t.expires_at_offset_minutes,
  t.created_by, t.created_at, t.modified_by, t.modified_at, c.sealed as cvc, c.token_version as cvc_token_version`;

/** The expiry of a card verification code. Only cards have one. */
export const cvcExpiry = `now() + make_interval(secs => ${tokenLimits.cvcLifeSeconds})`;

export const joinCvc = `left join token_cvcs c
  on t.type = 'card' and c.tenant_id = t.tenant_id and c.token_id = t.id and c.expires_at > now()`;

/** A token becomes invisible the moment it expires, even if it is removed later. */
export const isAlive = '(t.expires_at is null or t.expires_at > now())';

/** The size of the token's long columns. PostgreSQL knows the length of a column without reading it. */
export const tokenBytes = '(octet_length(t.data) + coalesce(octet_length(t.mask), 0))';

/** The size of a row in memory: `tokenBytes` plus all other columns that can be long. */
export const rowBytes = `(octet_length(t.data) + coalesce(octet_length(t.mask), 0) + coalesce(octet_length(t.metadata::text), 0)
  + coalesce(octet_length(t.search_indexes), 0) + coalesce(octet_length(t.fingerprint_expression), 0) + pg_column_size(t.terms))`;

/** Returns the SQL column with the size of all tokens that precede this one in the given order. */
export function bytesBefore(order: string, bytes = tokenBytes): string {
  return `coalesce(sum(${bytes}) over (order by ${order} rows between unbounded preceding and 1 preceding), 0) as bytes_before`;
}

/** A row of a result that omits rows once their total size would exceed the data limit. */
export interface FoundRow extends TokenRow {
  /** The number of rows, including omitted ones. */
  readonly found: number;
}

export function isCutOff(rows: readonly Pick<FoundRow, 'found'>[]): boolean {
  return rows.length < (rows[0]?.found ?? 0);
}

/**
 * Uses the requesting tenant, not the one in the row. If a row of another tenant ever got this far, the keys of the
 * requesting tenant could not open it.
 */
export function toStoredToken(tenantId: TenantId, row: TokenRow): StoredToken {
  return {
    tenantId,
    id: row.id,
    type: row.type,
    version: row.version,
    revision: row.revision ?? 0,
    data: row.data,
    mask: row.mask,
    containers: row.containers,
    metadata: row.metadata,
    searchIndexes: row.search_indexes,
    fingerprint: row.fingerprint,
    fingerprintExpression: row.fingerprint_expression,
    viewAuthors: (row.views?.version === row.version ? row.views.authors : undefined) ?? {},
    isMaskWhole: row.is_mask_whole ?? false,
    terms: row.terms,
    expiresAt:
      row.expires_at === null ? null : { instant: row.expires_at, offsetMinutes: row.expires_at_offset_minutes ?? 0 },
    createdBy: row.created_by,
    createdAt: row.created_at,
    modifiedBy: row.modified_by,
    modifiedAt: row.modified_at,
    cvc: row.cvc === null ? null : { sealed: row.cvc, tokenVersion: row.cvc_token_version ?? 0 },
  };
}

/** Converts rows that were read together, and charges the tenant if their data is long. */
export function toStoredTokens(tenantId: TenantId, rows: readonly TokenRow[]): StoredToken[] {
  loopPace.charge(
    tenantId,
    weighData(rows.reduce((sum, { data, mask }) => sum + data.length + (mask?.length ?? 0), 0)),
  );
  return rows.map((row) => toStoredToken(tenantId, row));
}

/** The columns of a JSON row that writes a token, for `json_to_recordset`. */
export const jsonRowColumns = `id text, type text, version integer, data bytea, mask text, containers text[], shelf text, metadata jsonb,
  search_indexes text, fingerprint text, fingerprint_expression text, views jsonb, terms bytea[], expires_at timestamptz,
  expires_at_offset_minutes smallint, created_by uuid, cvc bytea`;

export function toJsonRow(token: SealedToken) {
  return { ...toAttributesRow(token), data: toByteaText(token.data) };
}

/**
 * Returns all columns except the data. Null values are omitted, because PostgreSQL reads an absent member as null
 * without having to parse it.
 */
export function toAttributesRow(token: SealedToken) {
  return {
    id: token.id,
    type: token.type,
    version: token.version,
    mask: token.mask ?? undefined,
    containers: token.containers,
    shelf: toShelfKey(token),
    metadata: token.metadata ?? undefined,
    search_indexes: token.searchIndexes ?? undefined,
    fingerprint: token.fingerprint ?? undefined,
    fingerprint_expression: token.fingerprintExpression ?? undefined,
    views: toStoredViews(token),
    terms: token.terms.map(toByteaText),
    expires_at: token.expiresAt === null ? undefined : toTimestampText(token.expiresAt.instant),
    expires_at_offset_minutes: token.expiresAt?.offsetMinutes,
    created_by: token.createdBy ?? undefined,
    cvc: token.cvc === null ? undefined : toByteaText(token.cvc.sealed),
  };
}

/** Returns undefined for a token that has the default views of its type. */
function toStoredViews(token: SealedToken): StoredViews | undefined {
  const { version, mask, searchIndexes, fingerprintExpression, viewAuthors: authors, isMaskWhole: isWhole } = token;
  if (mask === null && searchIndexes === null && fingerprintExpression === null) return undefined;
  return {
    version,
    ...(Object.keys(authors).length === 0 ? {} : { authors }),
    ...(isWhole ? { isMaskWhole: true } : {}),
  };
}

/**
 * In time zones west of UTC, the last hours of the year 9999 belong to the year 10000 in UTC. PostgreSQL accepts such a
 * year only without the leading sign and zero.
 */
function toTimestampText(instant: Date): string {
  return instant.toISOString().replace(/^\+0/, '');
}

export function toByteaText(bytes: Buffer): string {
  return `\\x${bytes.toString('hex')}`;
}
