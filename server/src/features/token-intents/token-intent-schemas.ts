import { type Static, Type } from 'typebox';
import type { DerivedDetails } from '../../core/token-types/token-type.ts';
import { timestamp, toTimestamp } from '../../http/parameters/timestamp.ts';
import { nameSchemas } from '../../http/routes/api-components.ts';
import { BankView, CardView, CreateToken, type StoredIntent } from '../tokens/index.ts';

const { data, encrypted } = CreateToken.properties;

export const CreateTokenIntent = Type.Object(
  {
    type: Type.String({
      maxLength: 50,
      description: 'The token type, such as `card`. It determines how data is validated.',
    }),
    data,
    encrypted,
  },
  { description: 'The token intent to create.' },
);

export const TokenIntentView = Type.Object(
  {
    id: Type.String({ format: 'uuid', description: 'Id of the token intent.' }),
    tenant_id: Type.String({ description: 'Id of the tenant.' }),
    type: Type.String({ description: 'The token type.' }),
    fingerprint: Type.Optional(
      Type.String({
        description: 'Equal for equal data of one type. Absent for public and session keys.',
      }),
    ),
    card: Type.Optional(CardView),
    bank: Type.Optional(BankView),
    created_by: Type.Optional(Type.String({ description: 'Id of the application that created it.' })),
    created_at: timestamp('When it was created.'),
    expires_at: timestamp('When it expires. From then on, it does not exist.'),
  },
  { description: 'Data that is kept for a day or two. It never shows its data.' },
);
nameSchemas({ CreateTokenIntentRequest: CreateTokenIntent, TokenIntent: TokenIntentView });

/** A token intent as one caller may see it. */
export interface VisibleIntent {
  readonly intent: StoredIntent;
  readonly fingerprint: string | undefined;
  readonly derived: DerivedDetails | undefined;
}

export function toTokenIntentView({ intent, fingerprint, derived }: VisibleIntent): Static<typeof TokenIntentView> {
  const { id, tenantId, type, createdBy, createdAt, expiresAt } = intent;
  return {
    id,
    tenant_id: tenantId,
    type,
    ...(fingerprint === undefined ? {} : { fingerprint }),
    ...derived,
    ...(createdBy === null ? {} : { created_by: createdBy }),
    created_at: toTimestamp(createdAt),
    expires_at: toTimestamp(expiresAt),
  };
}
