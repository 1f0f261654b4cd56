import { formatExpiresAt } from '../../../core/expiry/expires-at.ts';
import type { Sensitive } from '../../../core/identity/sensitive.ts';
import { toChangeFields } from '../../../http/parameters/timestamp.ts';
import type { StoredToken, VisibleToken } from './token.ts';

/** Writes a token as JSON. Data and mask are JSON text already and go in as they are: parsing them again could alter them. */
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

/** As `toTokenJson`, without anything that tells the content of the token. */
export function toContentlessJson(visible: VisibleToken): string {
  const { token } = visible;
  return JSON.stringify({ ...toIdentity(token), ...toPlace(visible), ...toTimes(token) });
}

/**
 * A token as `POST /tokens` and an import take it, with what only tells its story beside it. What the caller has left to
 * the defaults of the type is left to them again.
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

/** Data is stored as it was spelled, and JSON may be spelled over several lines; within a text a line end never stands. */
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

/** Makes one JSON object of several; their members are different. */
function joinObjects(objects: readonly string[]): string {
  const members = objects.map((object) => object.slice(1, -1)).filter((inside) => inside !== '');
  return `{${members.join(',')}}`;
}
