import { type Static, Type } from 'typebox';
import { nameSchemas } from '../../http/routes/api-components.ts';
import { timestamp, toTimestamp } from '../../http/parameters/timestamp.ts';
import { ownKeyTroubles } from '../../platform/keyring/keys/own-key-trouble.ts';
import { ownKeyNameOf } from '../../platform/keyring/kms/own-root-key.ts';
import type { EncryptionKeys } from './encryption-keys.ts';

const OutageView = Type.Object(
  {
    reason: Type.Enum([...ownKeyTroubles], {
      description:
        'What the service of the key says. `not_configured` and `replaced` are settings of the vault, `unreachable` and `throttled` may pass by themselves.',
    }),
    readable_seconds: Type.Integer({
      minimum: 0,
      description: 'For how long this server can still decrypt values of the tenant. 0 if it no longer can.',
    }),
  },
  { description: 'Present while the own root key of the tenant cannot be used.' },
);
nameSchemas({ RootKeyOutage: OutageView });
const RootKeyView = Type.Object(
  {
    id: Type.String({
      description:
        'Provider and fingerprint of the key. For a key that the owner of the tenant controls, `@` and its name.',
    }),
    provider: Type.String({
      description: '`file`, `pkcs11`, `aws-kms`, `google-kms`, `azure-key-vault` or `transit`.',
    }),
    own_name: Type.Optional(
      Type.String({
        description: 'The name of the key in the settings of the vault. Absent if it wraps the keys of all tenants.',
      }),
    ),
    outage: Type.Optional(OutageView),
  },
  { description: 'The key that wraps the keys of tenants. It never leaves its provider.' },
);
const DataKeyView = Type.Object(
  {
    version: Type.Integer({ description: 'The version number, counted from 1.' }),
    status: Type.Enum(['open', 'closed'], {
      description: '`closed` if nothing is encrypted with it any more. It still decrypts.',
    }),
    is_current: Type.Boolean({ description: 'Whether new data is encrypted with this version.' }),
    root_key: Type.String({ description: 'Id of the root key that wraps this version.' }),
    created_at: timestamp('When it was created.'),
    closed_at: Type.Optional(timestamp('When it was closed.')),
  },
  { description: 'A version of the key that the data of the tenant is encrypted with.' },
);
const rows = (description: string) => Type.Integer({ minimum: 0, description });
const ReencryptionView = Type.Object(
  {
    target_version: Type.Integer({ description: 'The version with which data is re-encrypted.' }),
    started_at: timestamp('When it started.'),
    finished_at: Type.Optional(timestamp('When it finished. Absent while it is in progress, and if it was stopped.')),
    rows_expected: rows('Approximately how many rows there are.'),
    rows_read: rows('How many have been looked at.'),
    rows_changed: rows('How many have been re-encrypted.'),
    rows_unreadable: rows('How many no key can decrypt.'),
  },
  { description: 'The newest re-encryption of stored data.' },
);
nameSchemas({ RootKey: RootKeyView, DataKey: DataKeyView, Reencryption: ReencryptionView });

export const EncryptionKeysView = Type.Object(
  {
    root_key: RootKeyView,
    data_keys: Type.Array(DataKeyView, { description: 'Every version that has not been destroyed, newest first.' }),
    reencryption: Type.Optional(ReencryptionView),
  },
  { description: 'The keys that the data of the tenant is encrypted with, without the keys themselves.' },
);
nameSchemas({ EncryptionKeys: EncryptionKeysView });

export function toEncryptionKeysView({
  rootKey,
  outage,
  dataKeys,
  reencryption,
}: EncryptionKeys): Static<typeof EncryptionKeysView> {
  const ownName = ownKeyNameOf(rootKey);
  return {
    root_key: {
      id: rootKey,
      provider: rootKey.slice(0, rootKey.indexOf(':')),
      ...(ownName === undefined ? {} : { own_name: ownName }),
      ...(outage === undefined
        ? {}
        : { outage: { reason: outage.trouble, readable_seconds: Math.ceil(outage.endsInMs / 1_000) } }),
    },
    data_keys: dataKeys.map((key, index) => ({
      version: key.version,
      status: key.closedAt === null ? 'open' : 'closed',
      is_current: index === 0,
      root_key: key.rootKey,
      created_at: toTimestamp(key.createdAt),
      ...(key.closedAt === null ? {} : { closed_at: toTimestamp(key.closedAt) }),
    })),
    ...(reencryption === undefined ? {} : { reencryption: toReencryptionView(reencryption) }),
  };
}

function toReencryptionView(progress: NonNullable<EncryptionKeys['reencryption']>): Static<typeof ReencryptionView> {
  return {
    target_version: progress.targetVersion,
    started_at: toTimestamp(progress.startedAt),
    ...(progress.finishedAt === null ? {} : { finished_at: toTimestamp(progress.finishedAt) }),
    rows_expected: progress.rowsExpected,
    rows_read: progress.rowsRead,
    rows_changed: progress.rowsChanged,
    rows_unreadable: progress.rowsUnreadable,
  };
}
