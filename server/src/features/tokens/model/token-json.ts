import { formatExpiresAt } from '../../../core/expiry/expires-at.ts';
import type { Sensitive } from '../../../core/identity/sensitive.ts';
import { toChangeFields } from '../../../http/parameters/timestamp.ts';
import type { StoredToken, VisibleToken } from './token.ts';

/**
 * Writes a token as JSON. Data and mask are already JSON text and are inserted unchanged, because parsing them again
 * could alter them.
 */
export function toTokenJson(visible: VisibleToken): string {
  const { token, data, mask, derived } = visible;
  const extras = visible.isDeduplicated === true ? { _extras: { deduplicated: true } } : {};
  if (visible.isReduced === true) return JSON.stringify({ ...toIdentity(token), ...toPlace(visible), ...extras });

  const rest = {
    fingerprint_expression: visible.fingerprintExpression,
    ...(token.metadata === null ? {} : { metadata: token.metadata }),
    ...(visible.searchIndexes.length === 0 ? {} : { search_indexes: visible.searchIndexes }),
    ...toTimes(token),
    ...derived,
    ...extras,
  };
  return joinObjects([
    JSON.stringify(toIdentity(token)),
    data === undefined ? '{}' : `{"data":${data.reveal()}}`,
    mask === undefined ? '{}' : `{"mask":${mask}}`,
    JSON.stringify(toPlace(visible)),
    JSON.stringify(rest),
  ]);
}

/** Writes a token like `toTokenJson`, but without anything that reveals its content. */
export function toContentlessJson(visible: VisibleToken): string {
  const { token } = visible;
  return JSON.stringify({ ...toIdentity(token), ...toPlace(visible), ...toTimes(token) });
}

/**
 * Writes a token in the form that `POST /tokens` and an import accept, plus its history fields. Fields that were left
 * to the defaults of the type are omitted.
 */
export function toExportLine(token: StoredToken, data: Sensitive<string>): string {
  const { metadata, searchIndexes, fingerprintExpression, expiresAt } = token;
  const rest = {
    containers: token.containers,
    ...(metadata === null ? {} : { metadata }),
    ...(fingerprintExpression === null ? {} : { fingerprint_expression: fingerprintExpression }),
    ...(expiresAt === null ? {} : { expires_at: formatExpiresAt(expiresAt) }),
    ...toChangeFields(token),
  };
  return joinObjects([
    JSON.stringify({ id: token.id, type: token.type }),
    `{"data":${withoutLineEnds(data.reveal())}}`,
    token.mask === null ? '{}' : `{"mask":${token.mask}}`,
    searchIndexes === null ? '{}' : `{"search_indexes":${searchIndexes}}`,
    JSON.stringify(rest),
  ]);
}

/**
 * Replaces line ends with spaces. Data is stored as it was written, and JSON may span several lines, but a JSON string
 * never contains a raw line end.
 */
function withoutLineEnds(text: string): string {
  return text.replaceAll('\r', ' ').replaceAll('\n', ' ');
}

function toIdentity(token: StoredToken) {
  return { id: token.id, tenant_id: token.tenantId, type: token.type };
}

function toPlace({ token, fingerprint }: VisibleToken) {
  return {
    ...(fingerprint === undefined ? {} : { fingerprint }),
    containers: token.containers,
  };
}

function toTimes(token: StoredToken) {
  return {
    ...(token.expiresAt === null ? {} : { expires_at: formatExpiresAt(token.expiresAt) }),
    ...toChangeFields(token),
  };
}

/** Joins JSON objects into one. They must not share a member. */
function joinObjects(objects: readonly string[]): string {
  const members = objects.map((object) => object.slice(1, -1)).filter((inside) => inside !== '');
  return `{${members.join(',')}}`;
}
