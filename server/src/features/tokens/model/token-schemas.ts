import { type Static, Type } from 'typebox';
import { containerLengthMax } from '../../../core/access/container.ts';
import { Sensitive } from '../../../core/identity/sensitive.ts';
import type { JsonSource } from '../../../core/json/json-source.ts';
import type { JsonValue } from '../../../core/json/json-value.ts';
import { nameSchemas } from '../../../http/api-components.ts';
import { orNull } from '../../../http/optional-schemas.ts';
import { changeFields } from '../../../http/timestamp.ts';
import type { TokenPatch, TokenRequest } from './token-request.ts';

const Expression = Type.String({ maxLength: 1_000 });
/** The pattern that `Type.Record` has by itself stops at a line end: values under such keys would pass unseen. */
const MetadataKey = Type.String({ pattern: String.raw`^[\s\S]*$` });
const MetadataValue = Type.String({ maxLength: 500 });
const Containers = Type.Array(Type.String({ maxLength: containerLengthMax }), {
  maxItems: 100,
  description: 'One to ten containers. Defaults to those of the type.',
});
const SearchIndexes = Type.Array(Expression, { maxItems: 20 });

export const CreateToken = Type.Object({
  id: orNull(Type.String({ maxLength: 1_000, description: 'An id, or an expression that generates one.' })),
  type: Type.String({ maxLength: 50 }),
  data: Type.Unknown({ description: 'Object, array or primitive.' }),
  mask: Type.Optional(
    Type.Unknown({ description: 'An expression, or an object or array of expressions; null for no mask.' }),
  ),
  containers: orNull(Containers),
  metadata: orNull(Type.Record(MetadataKey, MetadataValue, { description: 'At most 50 keys of 1 to 200 characters.' })),
  search_indexes: orNull(SearchIndexes),
  fingerprint_expression: orNull(Type.String({ maxLength: 400 })),
  deduplicate_token: orNull(Type.Boolean()),
  expires_at: orNull(Type.String({ maxLength: 50 })),
});
export type CreateToken = Static<typeof CreateToken>;

export const UpdateToken = Type.Object({
  data: Type.Optional(Type.Unknown({ description: 'Merge patch.' })),
  mask: Type.Optional(
    Type.Unknown({
      description:
        'Merge patch. Setting mask, search_indexes and fingerprint_expression on stored data requires access to its plaintext.',
    }),
  ),
  metadata: orNull(Type.Record(MetadataKey, Type.Union([MetadataValue, Type.Null()]))),
  containers: orNull(Containers),
  search_indexes: orNull(SearchIndexes),
  fingerprint_expression: orNull(Type.String({ maxLength: 400 })),
  deduplicate_token: orNull(Type.Boolean()),
  expires_at: orNull(Type.String({ maxLength: 50 })),
});

const tokenFields = {
  id: Type.String(),
  tenant_id: Type.String(),
  type: Type.String(),
  data: Type.Optional(Type.Unknown({ description: 'The data as transformed by the access rules of the caller.' })),
  mask: Type.Optional(Type.Unknown()),
  fingerprint: Type.Optional(
    Type.String({ description: 'Absent from redacted views and for public and session keys.' }),
  ),
  fingerprint_expression: Type.Optional(Type.String()),
  containers: Type.Array(Type.String()),
  metadata: Type.Optional(Type.Record(Type.String(), Type.String())),
  search_indexes: Type.Optional(Type.Array(Type.String())),
  expires_at: Type.Optional(Type.String()),
  card: Type.Optional(
    Type.Object({
      bin: Type.String(),
      last4: Type.String(),
      brand: Type.Optional(Type.String()),
      expiration_month: Type.Optional(Type.Integer()),
      expiration_year: Type.Optional(Type.Integer()),
    }),
  ),
  bank: Type.Optional(Type.Object({ routing_number: Type.String(), account_number_last4: Type.String() })),
};

export const TokenView = Type.Object({ ...tokenFields, ...changeFields });

/** The token that stands for the one of the request. Without read access it is shown without its times. */
export const DeduplicatedTokenView = Type.Object({
  ...tokenFields,
  ...changeFields,
  created_at: Type.Optional(changeFields.created_at),
  _extras: Type.Object({ deduplicated: Type.Boolean({ description: 'No token was created.' }) }),
});

nameSchemas({
  CreateTokenRequest: CreateToken,
  UpdateTokenRequest: UpdateToken,
  Token: TokenView,
  DeduplicatedToken: DeduplicatedTokenView,
});

export function toTokenRequest(body: CreateToken, source: JsonSource, path = ''): TokenRequest {
  const data = body.data as JsonValue;
  return {
    path,
    id: body.id ?? undefined,
    type: body.type,
    data,
    dataText: new Sensitive(source.textOf(body, 'data', data)),
    mask: body.mask as JsonValue | undefined,
    containers: body.containers ?? undefined,
    metadata: body.metadata ?? undefined,
    searchIndexes: body.search_indexes ?? undefined,
    fingerprintExpression: body.fingerprint_expression ?? undefined,
    deduplicate: body.deduplicate_token ?? undefined,
    expiresAt: body.expires_at ?? undefined,
  };
}

export function toTokenPatch(body: Static<typeof UpdateToken>, source: JsonSource): TokenPatch {
  const data = body.data as JsonValue | undefined;
  return {
    data,
    dataText: data === undefined ? undefined : new Sensitive(source.textOf(body, 'data', data)),
    mask: body.mask as JsonValue | undefined,
    metadata: body.metadata,
    containers: body.containers,
    searchIndexes: body.search_indexes,
    fingerprintExpression: body.fingerprint_expression,
    deduplicate: body.deduplicate_token ?? undefined,
    expiresAt: body.expires_at,
  };
}
