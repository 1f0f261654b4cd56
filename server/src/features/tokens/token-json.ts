import { formatExpiresAt } from '../../core/expiry/expires-at.ts';
import { toChangeFields } from '../../http/timestamp.ts';
import type { VisibleToken } from './token.ts';

/** Writes a token as JSON. Data and mask are JSON text already and go in as they are: parsing them again could alter them. */
export function toTokenJson(visible: VisibleToken): string {
  const { token, data, mask, derived } = visible;
  const identity = { id: token.id, tenant_id: token.tenantId, type: token.type };
  const found = {
    ...(token.fingerprint === null ? {} : { fingerprint: token.fingerprint }),
    containers: token.containers,
  };
  if (visible.isReduced === true) return JSON.stringify({ ...identity, ...found });

  const rest = {
    fingerprint_expression: visible.fingerprintExpression,
    ...(token.metadata === null ? {} : { metadata: token.metadata }),
    ...(visible.searchIndexes.length === 0 ? {} : { search_indexes: visible.searchIndexes }),
    ...(token.expiresAt === null ? {} : { expires_at: formatExpiresAt(token.expiresAt) }),
    ...toChangeFields(token),
    ...derived,
  };
  return joinObjects([
    JSON.stringify(identity),
    data === undefined ? '{}' : `{"data":${data.reveal()}}`,
    mask === undefined ? '{}' : `{"mask":${mask}}`,
    JSON.stringify(found),
    JSON.stringify(rest),
  ]);
}

/** Makes one JSON object of several; their members are different. */
function joinObjects(objects: readonly string[]): string {
  const members = objects.map((object) => object.slice(1, -1)).filter((inside) => inside !== '');
  return `{${members.join(',')}}`;
}
