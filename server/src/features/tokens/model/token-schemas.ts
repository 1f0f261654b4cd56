import { type Static, type TSchemaOptions, Type } from 'typebox';
import { Sensitive } from '../../../core/identity/sensitive.ts';
import type { JsonSource } from '../../../core/json/json-source.ts';
import type { JsonValue } from '../../../core/json/json-value.ts';
import { membersOf } from '../../../core/objects/members-of.ts';
import { tokenLimits } from '../../../core/token-limits.ts';
import { nameSchemas } from '../../../http/routes/api-components.ts';
import { orNull } from '../../../http/parameters/optional-schemas.ts';
import { changeFields } from '../../../http/parameters/timestamp.ts';
import { invalidAt } from './request-path.ts';
import type { TokenPatch, TokenRequest } from './token-request.ts';

/** Any JSON value as the vault's own parser returns it. */
const AnyJson = (options: TSchemaOptions) => Type.Unsafe<JsonValue>(Type.Unknown(options));
const Expression = Type.String({ maxLength: tokenLimits.expressionLengthMax });
const typeText =
  'The token type, such as `card`, `bank` or `token`. It decides how data is validated and what is the default for the other members.';
/**
 * The default pattern of `Type.Record` stops at a line end, so values under keys with a line end would not be
 * validated.
 */
const MetadataKey = Type.String({ pattern: String.raw`^[\s\S]*$` });
const MetadataValue = Type.String({ maxLength: tokenLimits.metadataValueLengthMax });
const Containers = Type.Array(Type.String({ maxLength: tokenLimits.containerLengthMax }), {
  maxItems: tokenLimits.containersMax,
  description: `At least one container, at most ${tokenLimits.containersLengthMax} characters together. Left out, those of the type apply.`,
});
const SearchIndexes = Type.Array(Expression, {
  maxItems: tokenLimits.searchIndexesMax,
  description: 'Expressions such as `{{ data.name }}`, by whose values the token can be found with `data:`.',
});

const FingerprintExpression = Type.String({
  maxLength: tokenLimits.fingerprintExpressionLengthMax,
  description: 'An expression for the value that the fingerprint is made of.',
});
const Deduplicate = Type.Boolean({
  description: 'Whether to use an existing token with the same fingerprint; by default, the tenant decides.',
});
const ExpiresAt = Type.String({
  maxLength: tokenLimits.expiresAtLengthMax,
  description: 'When the token expires: an ISO 8601 date-time, in UTC if it has no offset, or a date.',
});
const metadataKeys = `Data that is not sensitive, as text. At most ${tokenLimits.metadataKeysMax} keys of 1 to ${tokenLimits.metadataKeyLengthMax} characters.`;

export const CreateToken = Type.Object(
  {
    id: orNull(
      Type.String({
        maxLength: tokenLimits.expressionLengthMax,
        description: `An id of ${tokenLimits.idLengthMin} to ${tokenLimits.idLengthMax} characters, or an expression that makes one.`,
      }),
    ),
    type: Type.String({ maxLength: tokenLimits.typeLengthMax, description: typeText }),
    data: AnyJson({ description: 'The sensitive value: an object, an array or a primitive.' }),
    mask: Type.Optional(
      AnyJson({
        description: `An expression, or an object or array of them, of at most ${tokenLimits.maskBytesMax} bytes; null for no mask at all.`,
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
  { description: 'What to change about a token. Members that are left out stay as they are.' },
);

const CardView = Type.Object(
  {
    bin: Type.String({ description: 'The first digits, which identify the issuer.' }),
    last4: Type.String({ description: 'The last four digits.' }),
    brand: Type.Optional(Type.String({ description: 'The brand, if the number tells.' })),
    expiration_month: Type.Optional(Type.Integer({ description: 'Month in which the card expires.' })),
    expiration_year: Type.Optional(Type.Integer({ description: 'Year in which the card expires.' })),
  },
  { description: 'What may be shown of a card, whatever the mask.' },
);
const BankView = Type.Object(
  {
    routing_number: Type.String({ description: 'The routing number, which is not secret.' }),
    account_number_last4: Type.String({ description: 'The last four digits of the account number.' }),
  },
  { description: 'What may be shown of a bank account, whatever the mask.' },
);
const Extras = Type.Object(
  { deduplicated: Type.Boolean({ description: 'No token was created.' }) },
  { description: 'What happened to the request.' },
);
nameSchemas({ CardDetails: CardView, BankDetails: BankView, TokenExtras: Extras });

const tokenFields = {
  id: Type.String({ description: 'Id of the token, which stands for its data.' }),
  tenant_id: Type.String({ description: 'Id of the tenant.' }),
  type: Type.String({ description: 'The token type.' }),
  data: Type.Optional(Type.Unknown({ description: 'The data as transformed by the access rules of the caller.' })),
  mask: Type.Optional(
    Type.Unknown({ description: 'The expressions that mask data; of a card with the default mask, the masked data.' }),
  ),
  fingerprint: Type.Optional(
    Type.String({
      description: 'Equal for equal data of one type. Absent from redacted views and for public and session keys.',
    }),
  ),
  fingerprint_expression: Type.Optional(
    Type.String({ description: 'The expression for the value that the fingerprint is made of.' }),
  ),
  containers: Type.Array(Type.String(), { description: 'Containers that the token is in.' }),
  metadata: Type.Optional(Type.Record(Type.String(), Type.String(), { description: 'Data that is not sensitive.' })),
  search_indexes: Type.Optional(
    Type.Array(Type.String(), { description: 'Expressions by whose values the token can be found.' }),
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

/** Members that clients of the original API send. Ignoring them would store different data than intended. */
const notServed = ['encrypted', 'token_intent_id'] as const;

export function requireServed(body: unknown, path: string): void {
  const members = membersOf(body);
  const unserved = notServed.find((name) => members[name] !== undefined && members[name] !== null);
  if (unserved !== undefined) throw invalidAt(path, unserved, 'is not supported by this vault; send data instead');
}

export function toTokenRequest(body: CreateToken, source: JsonSource, path = ''): TokenRequest {
  requireServed(body, path);
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
  requireServed(body, '');
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
