import { useState } from 'react';
import { useMember } from '../../api/me';
import { useTenantDeletion, useTenantRestoration } from '../../api/tenant-deletion';
import { Dialog } from '../../parts/dialog';
import { Page } from '../../parts/page';
import { Failure } from '../../parts/states';
import { Time } from '../../parts/time';
import { TypedName } from '../../parts/typed-name';

/** Replaces every page of a deleted tenant. It shows the deadline for restoring the tenant, and who can restore it. */
export function DeletedTenant({ removedAt }: { readonly removedAt: string }) {
  const member = useMember();
  const { tenant } = member;
  const [isRemoving, setRemoving] = useState(false);
  const restoration = useTenantRestoration();
  const removal = useTenantDeletion();
  return (
    <Page
      title={`${tenant.name} was deleted`}
      lead="Its keys, sessions and pages are refused. Its data is still there."
    >
      <p>
        It will be removed for good on{' '}
        <strong>
          <Time at={removedAt} />
        </strong>
        , with everything that is encrypted in it.
      </p>
      {member.may('tenant:delete') ? (
        <>
          <p>Until then you can restore it. Its keys then work again within a second.</p>
          {restoration.error === null ? null : <Failure error={restoration.error} />}
          <div className="actions">
            <button
              type="button"
              className="primary"
              disabled={restoration.isPending}
              onClick={() => restoration.mutate()}
            >
              Restore the tenant
            </button>
            <button type="button" onClick={() => setRemoving(true)}>
              Remove it now …
            </button>
          </div>
        </>
      ) : (
        <p>Until then its owner can restore it. So can an operator of the vault.</p>
      )}
      {isRemoving ? (
        <Dialog title={`Remove ${tenant.name}?`} onClose={() => setRemoving(false)}>
          <p>Its encryption keys are destroyed. Nothing that it stores can be read again.</p>
          <TypedName name={tenant.name} work={removal} />
        </Dialog>
      ) : null}
    </Page>
  );
}
