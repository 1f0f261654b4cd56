import type { DomainError, FieldErrors } from '../../core/errors/domain-error.ts';

/** The reason why a record was rejected. It is written to a file, so it contains nothing from the record. */
export interface ImportReject {
  readonly code: string;
  readonly reason: string;
  readonly fields?: FieldErrors;
  /** Set only if the vault already has a token with this id. */
  readonly id?: string;
}

/** Names that the schemas of the vault use. Every other name in a path comes from the file. */
const knownNames = new Set([
  'id',
  'type',
  'data',
  'mask',
  'containers',
  'metadata',
  'search_indexes',
  'fingerprint_expression',
  'deduplicate_token',
  'expires_at',
  'body',
  'number',
  'expiration_month',
  'expiration_year',
  'cvc',
  'routing_number',
  'account_number',
]);
const fieldsMax = 20;

export function toReject(error: DomainError): ImportReject {
  const entries = Object.entries(error.fields ?? {}).slice(0, fieldsMax);
  const fields: Record<string, readonly string[]> = {};
  for (const [path, messages] of entries) fields[withoutForeignNames(path)] = messages;
  return { code: error.code, reason: error.message, ...(entries.length === 0 ? {} : { fields }) };
}

function withoutForeignNames(path: string): string {
  return path
    .split('.')
    .map((name) => (knownNames.has(name) || /^\d{1,3}$/.test(name) ? name : '*'))
    .join('.');
}
