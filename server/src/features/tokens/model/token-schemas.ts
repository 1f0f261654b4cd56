import { type Static, type TSchemaOptions, Type } from 'typebox';
import { Sensitive } from '../../../core/identity/sensitive.ts';
import type { JsonSource } from '../../../core/json/json-source.ts';
import type { JsonValue } from '../../../core/json/json-value.ts';
import { tokenLimits } from '../../../core/token-limits.ts';
import { nameSchemas } from '../../../http/api-components.ts';
import { orNull } from '../../../http/optional-schemas.ts';
import { changeFields } from '../../../http/timestamp.ts';
import type { TokenPatch, TokenRequest } from './token-request.ts';

/** Any JSON, as our parser gives it. */
const AnyJson = (options: TSchemaOptions) => Type.Unsafe<JsonValue>(Type.Unknown(options));
const Expression = Type.String({ maxLength: tokenLimits.expressionLengthMax });
/** The pattern that `Type.Record` has by itself stops at a line end: values under such keys would pass unseen. */
const MetadataKey = Type.String({ pattern: String.raw`^[\s\S]*$` });
const MetadataValue = Type.String({ maxLength: tokenLimits.metadataValueLengthMax });
const Containers = Type.Array(Type.String({ maxLength: tokenLimits.containerLengthMax }), {
  maxItems: tokenLimits.containersMax,
  description: `At least one container, at most ${tokenLimits.containersLengthMax} characters together. Left out, those of the type apply.`,
});
const SearchIndexes = Type.Array(Expression, { maxItems: tokenLimits.searchIndexesMax });

const FingerprintExpression = Type.String({ maxLength: tokenLimits.fingerprintExpressionLengthMax });
const ExpiresAt = Type.String({ maxLength: tokenLimits.expiresAtLengthMax });
const metadataKeys = `At most ${tokenLimits.metadataKeysMax} keys of 1 to ${tokenLimits.metadataKeyLengthMax} characters.`;

export const CreateToken = Type.Object({
  id: orNull(
    Type.String({
      maxLength: tokenLimits.expressionLengthMax,
      description: `An id of ${tokenLimits.idLengthMin} to ${tokenLimits.idLengthMax} characters, or an expression that makes one.`,
    }),
  ),
  type: Type.String({ maxLength: tokenLimits.typeLengthMax }),
  data: AnyJson({ description: 'Object, array or primitive.' }),
  mask: Type.Optional(
    AnyJson({ description: 'An expression, or an object or array of them; null for no mask at all.' }),
  ),
  containers: orNull(Containers),
  metadata: orNull(Type.Record(MetadataKey, MetadataValue, { description: metadataKeys })),
  search_indexes: orNull(SearchIndexes),
  fingerprint_expression: orNull(FingerprintExpression),
  deduplicate_token: orNull(Type.Boolean()),
  expires_at: orNull(ExpiresAt),
});
export type CreateToken = Static<typeof CreateToken>;

export const UpdateToken = Type.Object({
  data: Type.Optional(AnyJson({ description: 'Merge patch.' })),
  mask: Type.Optional(
    AnyJson({
      description:
        'Merge patch. Setting mask, search_indexes and fingerprint_expression on stored data requires access to its plaintext.',
    }),
  ),
  metadata: orNull(
    Type.Record(MetadataKey, Type.Union([MetadataValue, Type.Null()]), { description: `Merge patch. ${metadataKeys}` }),
  ),
  containers: orNull(Containers),
  search_indexes: orNull(SearchIndexes),
  fingerprint_expression: orNull(FingerprintExpression),
  deduplicate_token: orNull(Type.Boolean()),
  expires_at: orNull(ExpiresAt),
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
  const { data } = body;
  return {
    path,
    id: body.id ?? undefined,
    type: body.type,
    data: new Sensitive(data),
    dataText: new Sensitive(source.textOf(body, 'data', data)),
    mask: body.mask,
    containers: body.containers ?? undefined,
    metadata: body.metadata ?? undefined,
    searchIndexes: body.search_indexes ?? undefined,
    fingerprintExpression: body.fingerprint_expression ?? undefined,
    deduplicate: body.deduplicate_token ?? undefined,
    expiresAt: body.expires_at ?? undefined,
  };
}

export function toTokenPatch(body: Static<typeof UpdateToken>, source: JsonSource): TokenPatch {
  const { data } = body;
  return {
    data: data === undefined ? undefined : new Sensitive(data),
    dataText: data === undefined ? undefined : new Sensitive(source.textOf(body, 'data', data)),
    mask: body.mask,
    metadata: body.metadata,
    containers: body.containers,
    searchIndexes: body.search_indexes,
    fingerprintExpression: body.fingerprint_expression,
    deduplicate: body.deduplicate_token ?? undefined,
    expiresAt: body.expires_at,
  };
}
