import { type Static, Type } from 'typebox';
import { orNull } from '../../http/parameters/optional-schemas.ts';
import { timestamp, toTimestamp } from '../../http/parameters/timestamp.ts';
import { nameSchemas } from '../../http/routes/api-components.ts';
import type { ClientKey } from './client-key.ts';

const expiryLengthMax = 50;

export const CreateClientKey = Type.Object(
  {
    expires_at: orNull(
      Type.String({
        maxLength: expiryLengthMax,
        description: 'When the key expires: ISO 8601, at most a year ahead. The default is a year.',
      }),
    ),
  },
  { description: 'The client key to create.' },
);

export const ClientKeyView = Type.Object(
  {
    id: Type.String({ format: 'uuid', description: 'Id of the key, which encrypted data names as `kid`.' }),
    key_id: Type.String({ format: 'uuid', description: 'The same id, under the name that clients use.' }),
    public_key_pem: Type.String({
      description:
        'The public key: the 32 bytes of X25519 as base64 between PEM lines, in the form that clients expect.',
    }),
    expires_at: timestamp('When the key expires. From then on, nothing encrypted with it is accepted.'),
  },
  { description: 'A key pair with which clients encrypt data. The private half never leaves the vault.' },
);
nameSchemas({ CreateClientKeyRequest: CreateClientKey, ClientKey: ClientKeyView });

export function toClientKeyView({ id, publicKey, expiresAt }: ClientKey): Static<typeof ClientKeyView> {
  return { id, key_id: id, public_key_pem: publicKey, expires_at: toTimestamp(expiresAt) };
}
