import { useMutation } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Application } from '../../../api/applications';
import { useMember } from '../../../api/me';
import { ApprovalNotice, ApprovalTag } from '../../../parts/approval';
import { CopiedId } from '../../../parts/copied-id';
import { type Column, DataTable } from '../../../parts/data-table';
import { Section } from '../../../parts/page';
import { Empty, Failure } from '../../../parts/states';
import { Time } from '../../../parts/time';
import { createKey, type UsedKey, useKeys } from './key-calls';
import { KeyRotation } from './key-rotation';
import { LastUsed } from './last-used';
import { NewSecret } from './new-secret';
import { RevokeKey } from './revoke-key';
import { StaleSignIn } from '../../../parts/stale-sign-in';

const route = getRouteApi('/applications/$applicationId');

export function ApplicationKeys({ application }: { readonly application: Application }) {
  const { rotate } = route.useSearch();
  const member = useMember();
  const { keys, refresh } = useKeys(application, rotate !== undefined);
  const navigate = route.useNavigate();
  const [revoked, setRevoked] = useState<UsedKey>();
  const [isReplaced, setReplaced] = useState(false);
  const create = useMutation({ mutationFn: () => createKey(application.id), onSuccess: refresh });
  const end = async () => {
    setReplaced(true);
    await navigate({ search: {}, resetScroll: false });
    await refresh();
  };
  const mayChange = member.may('application:create') && member.may('application:delete');
  const actions = { applicationId: application.id, onRevoke: setRevoked };
  const rotated = mayChange ? keys.find(({ id }) => id === rotate) : undefined;
  return (
    <Section
      title="Keys"
      actions={
        mayChange && rotated === undefined ? (
          <button type="button" disabled={create.isPending} onClick={() => create.mutate()}>
            Create a key
          </button>
        ) : undefined
      }
    >
      {mayChange ? <StaleSignIn /> : null}
      <p role="status" className={isReplaced && rotated === undefined ? 'done' : 'unseen'}>
        {isReplaced && rotated === undefined ? 'The old key was revoked. The rotation is complete.' : ''}
      </p>
      {create.error === null ? null : <Failure error={create.error} />}
      {create.data?.key === undefined ? null : <NewSecret secret={create.data.key} />}
      {create.data === undefined ? null : (
        <ApprovalNotice of={create.data} what="The new key is refused until it is approved." />
      )}
      {keys.length === 0 ? (
        <Empty title="It has no key, so nobody can act as this application." />
      ) : (
        <DataTable
          caption="Keys"
          columns={mayChange && rotated === undefined ? [...columns, toActions(actions)] : columns}
          rows={keys}
          keyOf={({ id }) => id}
          isChosen={({ id }) => id === rotated?.id}
        />
      )}
      {rotated === undefined ? null : (
        <KeyRotation application={application} old={rotated} keys={keys} onChange={refresh} onEnd={end} />
      )}
      {revoked === undefined ? null : (
        <RevokeKey
          applicationId={application.id}
          revoked={revoked}
          onRevoked={refresh}
          onClose={() => setRevoked(undefined)}
        />
      )}
    </Section>
  );
}

const columns: readonly Column<UsedKey>[] = [
  { header: 'Id', isWide: true, cell: KeyId },
  { header: 'Created', cell: ({ created_at: at }) => <Time at={at} /> },
  { header: 'Age', cell: ({ created_at: at }) => <Time at={at} form="ago" /> },
  { header: 'Last used', cell: (key) => <LastUsed used={key} /> },
];

function KeyId(key: UsedKey) {
  return (
    <>
      <CopiedId id={key.id} isWhole />
      <ApprovalTag of={key} />
    </>
  );
}

function toActions({
  applicationId,
  onRevoke,
}: {
  readonly applicationId: string;
  readonly onRevoke: (key: UsedKey) => void;
}): Column<UsedKey> {
  return {
    header: 'Actions',
    cell: (key) => (
      <span className="row-actions">
        <Link
          to="/applications/$applicationId"
          params={{ applicationId }}
          search={{ rotate: key.id }}
          resetScroll={false}
        >
          Rotate<span className="unseen"> key {key.id}</span>
        </Link>
        <button type="button" className="link" onClick={() => onRevoke(key)}>
          Revoke<span className="unseen"> key {key.id}</span>
        </button>
      </span>
    ),
  };
}
