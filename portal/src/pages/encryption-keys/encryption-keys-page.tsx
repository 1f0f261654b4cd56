import { useQuery } from '@tanstack/react-query';
import { api, type Schemas, unwrap } from '../../api/client';
import { useMember } from '../../api/me';
import { type Column, DataTable } from '../../parts/show/data-table';
import { Fact, Facts } from '../../parts/show/fact';
import { countOf, formatNumber } from '../../parts/show/number';
import { Card, CardBody } from '../../parts/page/card';
import { Page } from '../../parts/page/page';
import { QueryView } from '../../parts/page/query-view';
import { Tag } from '../../parts/show/tag';
import { Time } from '../../parts/show/time';
import { AuditKeys } from './audit-keys';
import { KeyCommands } from './key-commands';

type Keys = Schemas['EncryptionKeys'];
type DataKey = Schemas['DataKey'];
type Outage = Schemas['RootKeyOutage'];

const providerNames: Readonly<Record<string, string>> = {
  file: 'Key file of the server',
  pkcs11: 'Hardware security module (PKCS #11)',
  'aws-kms': 'AWS KMS',
  'google-kms': 'Google Cloud KMS',
  'azure-key-vault': 'Azure Key Vault',
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
    // The page shows the progress while data is being re-encrypted, and when a root key works again.
    refetchInterval: ({ state }) => refreshMsOf(state.data),
  });
  return (
    <Page
      title="Encryption keys"
      lead="The root key wraps the data keys; the data keys encrypt what is stored. No key ever leaves the vault."
      docs="operate/root-keys"
      hasTimes
    >
      <QueryView query={keys} what="the keys">
        {(found) => (
          <>
            <RootKey rootKey={found.root_key} />
            <Card title="Data keys" note="New data is encrypted with the current version. Older ones still decrypt.">
              <DataTable
                caption="Data keys, newest first"
                columns={listColumns(found.root_key.id)}
                rows={found.data_keys}
                keyOf={({ version }) => String(version)}
              />
            </Card>
            <Reencryption state={found.reencryption} />
          </>
        )}
      </QueryView>
      <KeyCommands tenantId={tenant.id} />
      <AuditKeys />
    </Page>
  );
}

function RootKey({ rootKey: { id, provider, own_name: name, outage } }: { readonly rootKey: Keys['root_key'] }) {
  return (
    <Card
      title="Root key"
      note={
        name === undefined
          ? 'It belongs to the vault, and wraps the keys of all tenants without their own.'
          : 'It belongs to your organisation. Whoever controls it can disable it, and your data cannot be read any more.'
      }
    >
      <CardBody>
        <Facts>
          <Fact name="Provider">{providerNames[provider] ?? provider}</Fact>
          {name === undefined ? null : <Fact name="Name">{name}</Fact>}
          <Fact name="Id">
            <code>{id}</code>
          </Fact>
          {name === undefined ? null : (
            <Fact name="Status">
              <RootKeyStatus outage={outage} />
            </Fact>
          )}
        </Facts>
      </CardBody>
    </Card>
  );
}

const outageReasons: Readonly<Record<Outage['reason'], string>> = {
  disabled: 'It is disabled.',
  denied: 'Its service denies access to the vault.',
  gone: 'It no longer exists, or is scheduled for deletion.',
  unusable: 'It cannot be used to wrap keys.',
  throttled: 'Its service receives too many requests.',
  unreachable: 'Its service does not respond.',
  mismatch: 'It does not unwrap what it wrapped.',
  not_configured: 'It is missing in the settings of the vault.',
  replaced: 'The settings of the vault have another key under this name.',
};

function RootKeyStatus({ outage }: { readonly outage: Outage | undefined }) {
  if (outage === undefined) return <Tag tone="good">Works</Tag>;
  const { reason, readable_seconds: seconds } = outage;
  const rest =
    seconds === 0
      ? 'Values cannot be read or written.'
      : `Values can be read and written for ${countOf(Math.ceil(seconds / 60), 'more minute')} at most.`;
  return (
    <>
      <Tag tone="bad">Does not work</Tag> {outageReasons[reason]} {rest}
    </>
  );
}

function listColumns(rootKeyId: string): readonly Column<DataKey>[] {
  return [
    { header: 'Version', isNumber: true, cell: ({ version }) => version },
    { header: 'Status', cell: (key) => <Status dataKey={key} /> },
    { header: 'Age', cell: ({ created_at }) => <Time at={created_at} form="ago" /> },
    { header: 'Created', cell: ({ created_at }) => <Time at={created_at} form="exact" /> },
    {
      header: 'Wrapped by',
      isWide: true,
      cell: ({ root_key }) => (
        <span>
          <code>{root_key}</code> {root_key === rootKeyId ? null : <Tag>an earlier root key</Tag>}
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
    <Card title="Re-encryption" note={`With version ${state.target_version} of the data key.`}>
      <CardBody>
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
      </CardBody>
    </Card>
  );
}

function refreshMsOf(keys: Keys | undefined): number | false {
  if (isUnderWay(keys?.reencryption)) return 2_000;
  return keys?.root_key.outage === undefined ? false : 5_000;
}

function isUnderWay(state: Keys['reencryption']): boolean {
  return state !== undefined && state.finished_at === undefined;
}
