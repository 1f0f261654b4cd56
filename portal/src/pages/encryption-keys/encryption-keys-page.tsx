import { useQuery } from '@tanstack/react-query';
import { api, type Schemas, unwrap } from '../../api/client';
import { useMember } from '../../api/me';
import { type Column, DataTable } from '../../parts/data-table';
import { formatNumber } from '../../parts/number';
import { Page, Section } from '../../parts/page';
import { QueryView } from '../../parts/query-view';
import { Tag } from '../../parts/tag';
import { Time } from '../../parts/time';
import { AuditKeys } from './audit-keys';
import { KeyCommands } from './key-commands';

type Keys = Schemas['EncryptionKeys'];
type DataKey = Schemas['DataKey'];

const providerNames: Readonly<Record<string, string>> = {
  file: 'Key file of the server',
  pkcs11: 'Hardware security module (PKCS #11)',
  'aws-kms': 'AWS KMS',
  transit: 'Vault or OpenBao (transit)',
};

/**
 * Shows the keys that encrypt the tenant's data. Keys are managed on the command line, so the page shows the commands.
 */
export function EncryptionKeysPage() {
  const { tenant } = useMember();
  const keys = useQuery({
    queryKey: ['encryption-keys', tenant.id],
    queryFn: () => unwrap(api.GET('/tenants/self/encryption-keys')),
    // The page shows the progress while data is being re-encrypted.
    refetchInterval: ({ state }) => (isUnderWay(state.data?.reencryption) ? 2_000 : false),
  });
  return (
    <Page
      title="Encryption keys"
      lead="The root key wraps the data keys; the data keys encrypt what is stored. No key ever leaves the vault."
    >
      <QueryView query={keys} what="the keys">
        {(found) => (
          <>
            <RootKey rootKey={found.root_key} />
            <Section title="Data keys" note="New data is encrypted with the current version. Older ones still decrypt.">
              <DataTable
                caption="Data keys, newest first"
                columns={listColumns(found.root_key.id)}
                rows={found.data_keys}
                keyOf={({ version }) => String(version)}
              />
            </Section>
            <Reencryption state={found.reencryption} />
          </>
        )}
      </QueryView>
      <KeyCommands tenantId={tenant.id} />
      <AuditKeys />
    </Page>
  );
}

function RootKey({ rootKey }: { readonly rootKey: Keys['root_key'] }) {
  return (
    <Section title="Root key">
      <dl className="facts">
        <dt>Provider</dt>
        <dd>{providerNames[rootKey.provider] ?? rootKey.provider}</dd>
        <dt>Id</dt>
        <dd>
          <code>{rootKey.id}</code>
        </dd>
      </dl>
    </Section>
  );
}

function listColumns(rootKeyId: string): readonly Column<DataKey>[] {
  return [
    { header: 'Version', isNumber: true, cell: ({ version }) => version },
    { header: 'Status', cell: (key) => <Status dataKey={key} /> },
    { header: 'Age', cell: ({ created_at }) => <Time at={created_at} form="ago" /> },
    { header: 'Created', cell: ({ created_at }) => <Time at={created_at} /> },
    {
      header: 'Wrapped by',
      isWide: true,
      cell: ({ root_key }) => (
        <span>
          <code>{root_key}</code> {root_key === rootKeyId ? null : <Tag tone="warn">an earlier root key</Tag>}
        </span>
      ),
    },
  ];
}

function Status({ dataKey }: { readonly dataKey: DataKey }) {
  if (dataKey.is_current) return <Tag tone="good">Current</Tag>;
  return <Tag>{dataKey.status === 'open' ? 'Decrypts' : 'Closed'}</Tag>;
}

function Reencryption({ state }: { readonly state: Keys['reencryption'] }) {
  if (state === undefined) return null;
  const { rows_read: read, rows_expected: expected, rows_unreadable: unreadable } = state;
  // The number of rows is an estimate.
  const total = Math.max(read, expected, 1);
  return (
    <Section title="Re-encryption" note={`With version ${state.target_version} of the data key.`}>
      <dl className="facts">
        <dt>Status</dt>
        <dd>
          {state.finished_at === undefined ? (
            <>
              started <Time at={state.started_at} form="ago" />
            </>
          ) : (
            <>
              finished <Time at={state.finished_at} />
            </>
          )}
        </dd>
        <dt>Progress</dt>
        <dd>
          <progress className="key-progress" max={total} value={read} aria-label="Progress of re-encryption" />{' '}
          {formatNumber(read)} of about {formatNumber(total)} rows
        </dd>
        <dt>Re-encrypted</dt>
        <dd>{formatNumber(state.rows_changed)} rows</dd>
        {unreadable === 0 ? null : (
          <>
            <dt>Unreadable</dt>
            <dd>
              <Tag tone="bad">{formatNumber(unreadable)} rows</Tag> that no key can decrypt
            </dd>
          </>
        )}
      </dl>
    </Section>
  );
}

function isUnderWay(state: Keys['reencryption']): boolean {
  return state !== undefined && state.finished_at === undefined;
}
