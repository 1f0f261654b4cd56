import { type Static, Type } from 'typebox';
import { containerLengthMax, parseContainer } from '../../core/access/container.ts';
import { invalidField } from '../../core/errors/domain-error.ts';
import type { TokenId } from '../../core/identity/ids.ts';
import { Sensitive } from '../../core/identity/sensitive.ts';
import type { JsonSource } from '../../core/json/json-source.ts';
import type { JsonValue } from '../../core/json/json-value.ts';
import { findTokenType } from '../../core/token-types/token-type-catalog.ts';
import { changeFields, toChangeFields } from '../../http/timestamp.ts';
import type { NewToken, VisibleToken } from './token.ts';
import { parseTokenId } from './token-id.ts';

const containersMax = 10;
const metadataMax = 50;

const Metadata = Type.Record(Type.String({ minLength: 1, maxLength: 200 }), Type.String({ maxLength: 500 }));

export const CreateToken = Type.Object({
  id: Type.Optional(Type.String()),
  type: Type.String({ maxLength: 50 }),
  data: Type.Unknown({ description: 'Object, array or primitive.' }),
  containers: Type.Optional(
    Type.Array(Type.String({ maxLength: containerLengthMax }), { minItems: 1, maxItems: containersMax }),
  ),
  metadata: Type.Optional(Metadata),
});

export const TokenView = Type.Object({
  id: Type.String(),
  tenant_id: Type.String(),
  type: Type.String(),
  data: Type.Optional(Type.Unknown({ description: 'As the access rules of the caller show it.' })),
  containers: Type.Array(Type.String()),
  metadata: Type.Optional(Metadata),
  ...changeFields,
});

export function toNewToken(body: Static<typeof CreateToken>, source: JsonSource): NewToken {
  const type = findTokenType(body.type);
  if (type === undefined || type.name !== 'token') throw invalidField('type', 'must be a known token type');
  if (Object.keys(body.metadata ?? {}).length > metadataMax)
    throw invalidField('metadata', `must have at most ${metadataMax} keys`);
  return {
    id: body.id === undefined ? (crypto.randomUUID() as TokenId) : parseTokenId(body.id),
    type: type.name,
    data: new Sensitive(source.textOf(body, 'data', body.data as JsonValue)),
    containers: toContainers(body.containers) ?? type.defaultContainers,
    metadata: body.metadata ?? null,
  };
}

function toContainers(given: readonly string[] | undefined): readonly string[] | undefined {
  return given?.map((text, index) => {
    const container = parseContainer(text);
    if (container === undefined) throw invalidField(`containers.${index}`, 'must start and end with a slash');
    return container;
  });
}

/** Writes the answer. The data is JSON text already and goes in as it is: parsing it again could alter it. */
export function toTokenJson(token: VisibleToken): string {
  const rest = JSON.stringify({
    id: token.id,
    tenant_id: token.tenantId,
    type: token.type,
    containers: token.containers,
    ...(token.metadata === null ? {} : { metadata: token.metadata }),
    ...toChangeFields(token),
  });
  return token.data === undefined ? rest : `${rest.slice(0, -1)},"data":${token.data.reveal()}}`;
}
