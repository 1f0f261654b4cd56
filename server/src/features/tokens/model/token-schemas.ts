import { type Static, type TSchemaOptions, Type } from 'typebox';
import { Sensitive } from '../../../core/identity/sensitive.ts';
import type { JsonSource } from '../../../core/json/json-source.ts';
import type { JsonValue } from '../../../core/json/json-value.ts';
import { membersOf } from '../../../core/objects/members-of.ts';
import { tokenLimits } from '../../../core/token-limits.ts';
import { nameSchemas } from '../../../http/routes/api-components.ts';
import { orNull } from '../../../http/parameters/optional-schemas.ts';
import { changeFields } from '../../../http/parameters/timestamp.ts';
import { invalidAt, type ReferringRequest, type TokenPatch, type TokenRequest } from './token-request.ts';

/** Any JSON value as the vault's own parser returns it. */
const AnyJson = (options: TSchemaOptions) => Type.Unsafe<JsonValue>(Type.Unknown(options));
const Expression = Type.String({ maxLength: tokenLimits.expressionLengthMax });
const typeText =
  'The token type, such as `card`, `bank` or `token`. It determines how data is validated, and the defaults of the other members.';
/**
 * The default pattern of `Type.Record` stops at a line end, so values under keys with a line end would not be
 * validated.
 */
const MetadataKey = Type.String({ pattern: String.raw`^[\s\S]*$` });
const MetadataValue = Type.String({ maxLength: tokenLimits.metadataValueLengthMax });
const Containers = Type.Array(Type.String({ maxLength: tokenLimits.containerLengthMax }), {
  maxItems: tokenLimits.containersMax,
  description: `At least one container, at most ${tokenLimits.containersLengthMax} characters together. The default depends on the type.`,
});
const SearchIndexes = Type.Array(Expression, {
  maxItems: tokenLimits.searchIndexesMax,
  description: 'Expressions such as `{{ data.name }}`. Searches with `data:` find the token by their values.',
});

const FingerprintExpression = Type.String({
  maxLength: tokenLimits.fingerprintExpressionLengthMax,
  description: 'An expression for the value to fingerprint.',
});
const Deduplicate = Type.Boolean({
  description: 'Whether to use an existing token with the same fingerprint. The default is a setting of the tenant.',
});
const ExpiresAt = Type.String({
  maxLength: tokenLimits.expiresAtLengthMax,
  description: 'When the token expires: an ISO 8601 date-time, in UTC if it has no offset, or a date.',
});
const metadataKeys = `Data that is not sensitive, as text. At most ${tokenLimits.metadataKeysMax} keys of 1 to ${tokenLimits.metadataKeyLengthMax} characters.`;

/** The body of a request for a token. */
export const CreateToken = Type.Object(
  {
    id: orNull(
      Type.String({
        maxLength: tokenLimits.expressionLengthMax,
        description: `An id of ${tokenLimits.idLengthMin} to ${tokenLimits.idLengthMax} characters, or an expression that produces one.`,
      }),
    ),
    type: orNull(
      Type.String({
        maxLength: tokenLimits.typeLengthMax,
        description: `${typeText} Required unless \`token_intent_id\` is present.`,
      }),
    ),
    data: Type.Optional(
      AnyJson({
        description:
          'The sensitive value: an object, an array or a primitive. Required unless `encrypted` or `token_intent_id` is present.',
      }),
    ),
    encrypted: orNull(
      Type.String({
        maxLength: tokenLimits.sizeBytesMax,
        description:
          'The value, encrypted by a client with a client key: a JWE in compact serialization, with ECDH-ES over X25519 and A256GCM.',
      }),
    ),
    token_intent_id: orNull(
      Type.String({
        maxLength: tokenLimits.idLengthMax,
        description: 'A token intent. Its data becomes the data of the token, and the intent is removed.',
      }),
    ),
    mask: Type.Optional(
      AnyJson({
        description: `An expression, or an object or array of them, of at most ${tokenLimits.maskBytesMax} bytes; or null for no mask.`,
      }),
    ),
    containers: orNull(Containers),
    metadata: orNull(Type.Record(MetadataKey, MetadataValue, { description: metadataKeys })),
    search_indexes: orNull(SearchIndexes),
    fingerprint_expression: orNull(FingerprintExpression),
    deduplicate_token: orNull(Deduplicate),
    expires_at: orNull(ExpiresAt),
  },
  { description: 'A token to create.' },
);
export type CreateToken = Static<typeof CreateToken>;

export const UpdateToken = Type.Object(
  {
    type: orNull(
      Type.String({
        maxLength: tokenLimits.typeLengthMax,
        description: 'The type that the token has. It cannot be changed.',
      }),
    ),
    data: Type.Optional(AnyJson({ description: 'Merge patch.' })),
    mask: Type.Optional(
      AnyJson({
        description:
          'Merge patch. Setting mask, search_indexes and fingerprint_expression on stored data requires access to its plaintext.',
      }),
    ),
    metadata: orNull(
      Type.Record(MetadataKey, Type.Union([MetadataValue, Type.Null()]), {
        description: `Merge patch. ${metadataKeys}`,
      }),
    ),
    containers: orNull(Containers),
    search_indexes: orNull(SearchIndexes),
    fingerprint_expression: orNull(FingerprintExpression),
    deduplicate_token: orNull(Deduplicate),
    expires_at: orNull(ExpiresAt),
  },
  { description: 'The changes to a token. Omitted members stay as they are.' },
);

export const CardView = Type.Object(
  {
    bin: Type.String({ description: 'The first digits, which identify the issuer.' }),
    last4: Type.String({ description: 'The last four digits.' }),
    brand: Type.Optional(Type.String({ description: 'The brand, if it can be determined from the number.' })),
    expiration_month: Type.Optional(Type.Integer({ description: 'Month in which the card expires.' })),
    expiration_year: Type.Optional(Type.Integer({ description: 'Year in which the card expires.' })),
  },
  { description: 'Details of a card that are shown regardless of its mask.' },
);
export const BankView = Type.Object(
  {
    routing_number: Type.String({ description: 'The routing number, which is not secret.' }),
    account_number_last4: Type.String({ description: 'The last four digits of the account number.' }),
  },
  { description: 'Details of a bank account that are shown regardless of its mask.' },
);
const Extras = Type.Object(
  { deduplicated: Type.Boolean({ description: 'No token was created.' }) },
  { description: 'Additional facts about the response.' },
);
nameSchemas({ CardDetails: CardView, BankDetails: BankView, TokenExtras: Extras });

const tokenFields = {
  id: Type.String({ description: 'Id of the token, which stands for its data.' }),
  tenant_id: Type.String({ description: 'Id of the tenant.' }),
  type: Type.String({ description: 'The token type.' }),
  data: Type.Optional(Type.Unknown({ description: 'The data as transformed by the access rules of the caller.' })),
  mask: Type.Optional(
    Type.Unknown({
      description: 'The expressions that mask data. For a card with the default mask, this is the masked data.',
    }),
  ),
  fingerprint: Type.Optional(
    Type.String({
      description: 'Equal for equal data of one type. Absent from redacted views and for public and session keys.',
    }),
  ),
  fingerprint_expression: Type.Optional(
    Type.String({ description: 'The expression for the value that is fingerprinted.' }),
  ),
  containers: Type.Array(Type.String(), { description: 'Containers that the token is in.' }),
  metadata: Type.Optional(Type.Record(Type.String(), Type.String(), { description: 'Data that is not sensitive.' })),
  search_indexes: Type.Optional(
    Type.Array(Type.String(), { description: 'Expressions. The token can be found by their values.' }),
  ),
  expires_at: Type.Optional(Type.String({ description: 'When the token expires, with the offset that was given.' })),
  card: Type.Optional(CardView),
  bank: Type.Optional(BankView),
};

export const TokenView = Type.Object(
  { ...tokenFields, ...changeFields },
  { description: 'A token, which stands for a sensitive value.' },
);

/** The existing token that is returned instead of a new one. A caller without read access does not see its times. */
export const DeduplicatedTokenView = Type.Object(
  {
    ...tokenFields,
    ...changeFields,
    created_at: Type.Optional(changeFields.created_at),
    _extras: Extras,
  },
  {
    description:
      'The existing token that stands for the data of the request. Without read access, only its id, type, tenant, fingerprint and containers are shown.',
  },
);

nameSchemas({
  CreateTokenRequest: CreateToken,
  UpdateTokenRequest: UpdateToken,
  Token: TokenView,
  DeduplicatedToken: DeduplicatedTokenView,
});

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

export function toTokenRequest(body: CreateToken, source: JsonSource, path = ''): TokenRequest | ReferringRequest {
  const { data, encrypted, token_intent_id: intentId } = body;
  const attributes = toAttributes(body, path);
  if (typeof intentId !== 'string') return withData(body, source, attributes);
  if (isGiven(data) || isGiven(encrypted))
    throw invalidAt(path, 'token_intent_id', 'must not be sent together with data or encrypted');
  return { ...attributes, type: body.type ?? undefined, from: { kind: 'intent', text: intentId.toLowerCase() } };
}

/** Returns a request for a token intent. It has data and none of the attributes of a token, whatever else was sent. */
export function toIntentRequest(body: CreateToken, source: JsonSource): TokenRequest | ReferringRequest {
  return withData(body, source, toAttributes({}, ''));
}

function withData(body: CreateToken, source: JsonSource, attributes: Attributes): TokenRequest | ReferringRequest {
  const { data, encrypted } = body;
  const { path } = attributes;
  const type = body.type ?? undefined;
  if (type === undefined) throw invalidAt(path, 'type', 'is required');
  if (typeof encrypted === 'string') {
    if (isGiven(data)) throw invalidAt(path, 'encrypted', 'must not be sent together with data');
    return { ...attributes, type, from: { kind: 'encrypted', text: encrypted } };
  }
  if (data === undefined) throw invalidAt(path, 'data', 'is required');
  return {
    ...attributes,
    type,
    data: new Sensitive(data),
    dataText: new Sensitive(source.textOf(body, 'data', data)),
  };
}

type Attributes = Omit<TokenRequest, 'type' | 'data' | 'dataText' | 'from'>;

function toAttributes(body: CreateToken, path: string): Attributes {
  return {
    path,
    id: body.id ?? undefined,
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
  const unchangeable = ['encrypted', 'token_intent_id'].find((name) => isGiven(membersOf(body)[name]));
  if (unchangeable !== undefined) throw invalidAt('', unchangeable, 'cannot be part of an update');
  const { data } = body;
  return {
    type: body.type ?? undefined,
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
