import { useMutation } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { KeyRound, Plus } from 'lucide-react';
import { useState } from 'react';
import type { Application } from '../../../api/applications';
import { useMember } from '../../../api/me';
import { Button, buttonClass } from '../../../parts/controls/button';
import { CopiedId, shortenId } from '../../../parts/controls/copied-id';
import { useToast } from '../../../parts/overlay/toast';
import { ApprovalNotice, ApprovalTag } from '../../../parts/page/approval';
import { Card, CardBody } from '../../../parts/page/card';
import { Empty, Failure } from '../../../parts/page/states';
import { StaleSignIn } from '../../../parts/page/stale-sign-in';
import { type Column, DataTable } from '../../../parts/show/data-table';
import { Seen } from '../../../parts/show/seen';
import { Time } from '../../../parts/show/time';
import { createKey, type UsedKey, useKeys } from './key-calls';
import { KeyRotation } from './key-rotation';
import { LastUsed } from './last-used';
import { NewSecret } from './new-secret';
import { RevokeKey } from './revoke-key';

const route = getRouteApi('/applications/$applicationId');

export function ApplicationKeys({ application }: { readonly application: Application }) {
  const { rotate, key: seen } = route.useSearch();
  const member = useMember();
  const { keys, refresh } = useKeys(application, rotate !== undefined);
  const navigate = route.useNavigate();
  const toast = useToast();
  const [revoked, setRevoked] = useState<UsedKey>();
  const create = useMutation({ mutationFn: () => createKey(application.id), onSuccess: refresh });
  const end = async () => {
    toast({ text: 'The old key was revoked. The rotation is complete.' });
    await navigate({ search: { tab: 'keys' }, resetScroll: false });
    await refresh();
  };
  const mayChange = member.may('application:create') && member.may('application:delete');
  const rotated = mayChange ? keys.find(({ id }) => id === rotate) : undefined;
  const actions = toActions({ applicationId: application.id, onRevoke: setRevoked });
  return (
    <>
      {mayChange ? <StaleSignIn /> : null}
      {create.data === undefined ? null : (
        <ApprovalNotice of={create.data} what="The new key is refused until it is approved." />
      )}
      <Card
        title="Keys"
        actions={
          mayChange && rotated === undefined ? (
            <Button isSmall icon={Plus} disabled={create.isPending} onClick={() => create.mutate()}>
              Create a key
            </Button>
          ) : undefined
        }
      >
        {create.error === null && create.data?.key === undefined ? null : (
          <CardBody>
            {create.error === null ? null : <Failure error={create.error} />}
            {create.data?.key === undefined ? null : <NewSecret secret={create.data.key} />}
          </CardBody>
        )}
        {keys.length === 0 ? (
          <Empty icon={KeyRound} title="It has no key">
            <p>Nobody can act as this application until you create one.</p>
          </Empty>
        ) : (
          <DataTable
            caption="Keys"
            columns={mayChange && rotated === undefined ? [...columns, actions] : columns}
            rows={keys}
            keyOf={({ id }) => id}
            isChosen={({ id }) => id === rotated?.id || id === seen}
          />
        )}
      </Card>
      {keys.some(({ id }) => id === seen) && seen !== undefined ? (
        <Seen whose={{ key_id: seen }} title={`What key ${shortenId(seen)} saw and did`} />
      ) : null}
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
    </>
  );
}

const columns: readonly Column<UsedKey>[] = [
  {
    header: 'Id',
    isWide: true,
    cell: (key) => (
      <span className="main-cell">
        <CopiedId id={key.id} isWhole />
        <ApprovalTag of={key} />
      </span>
    ),
  },
  { header: 'Created', cell: ({ created_at: at }) => <Time at={at} form="exact" /> },
  { header: 'Age', cell: ({ created_at: at }) => <Time at={at} form="ago" /> },
  { header: 'Last used', cell: (key) => <LastUsed used={key} /> },
  {
    header: 'Records',
    cell: (key) => (
      <Link
        className="solid"
        from="/applications/$applicationId"
        search={{ tab: 'keys', key: key.id }}
        resetScroll={false}
      >
        What it saw<span className="unseen">: key {key.id}</span>
      </Link>
    ),
  },
];

function toActions({
  applicationId,
  onRevoke,
}: {
  readonly applicationId: string;
  readonly onRevoke: (key: UsedKey) => void;
}): Column<UsedKey> {
  return {
    header: 'Actions',
    isActions: true,
    cell: (key) => (
      <span className="row-actions">
        <Link
          to="/applications/$applicationId"
          params={{ applicationId }}
          search={{ rotate: key.id }}
          resetScroll={false}
          className={buttonClass({ isSmall: true })}
        >
          Rotate<span className="unseen"> key {key.id}</span>
        </Link>
        <Button isSmall kind="warns" onClick={() => onRevoke(key)}>
          Revoke<span className="unseen"> key {key.id}</span>
        </Button>
      </span>
    ),
  };
}
