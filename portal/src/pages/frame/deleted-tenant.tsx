import { useState } from 'react';
import { useMember } from '../../api/me';
import { useTenantRemoval, useTenantRestoration } from '../../api/tenant-deletion';
import { Button } from '../../parts/controls/button';
import { Confirmation } from '../../parts/overlay/confirmation';
import { Card, CardBody } from '../../parts/page/card';
import { Page } from '../../parts/page/page';
import { Failure } from '../../parts/page/states';
import { Time } from '../../parts/show/time';

/** Replaces every page of a deleted tenant. It shows the deadline for restoring the tenant, and who can restore it. */
export function DeletedTenant({ removedAt }: { readonly removedAt: string }) {
  const member = useMember();
  const { tenant } = member;
  const [isRemoving, setRemoving] = useState(false);
  const restoration = useTenantRestoration();
  const removal = useTenantRemoval(tenant.name);
  return (
    <Page
      title={`${tenant.name} was deleted`}
      lead="Its keys, sessions and pages are refused. Its data is still there."
      hasTimes
    >
      <Card>
        <CardBody>
          <p>
            It will be removed for good on{' '}
            <strong>
              <Time at={removedAt} form="exact" />
            </strong>
            , with everything that is encrypted in it.
          </p>
          {member.may('tenant:delete') ? (
            <>
              <p>Until then you can restore it. Its keys then work again within a second.</p>
              {restoration.error === null ? null : <Failure error={restoration.error} />}
              <div className="actions">
                <Button kind="main" disabled={restoration.isPending} onClick={() => restoration.mutate()}>
                  Restore the tenant
                </Button>
                <Button kind="warns" onClick={() => setRemoving(true)}>
                  Remove it now …
                </Button>
              </div>
            </>
          ) : (
            <p>Until then its owner can restore it. So can an operator of the vault.</p>
          )}
        </CardBody>
      </Card>
      {isRemoving ? (
        <Confirmation
          title={`Remove ${tenant.name}?`}
          action="Remove the tenant now"
          typedName={tenant.name}
          work={removal}
          onClose={() => setRemoving(false)}
        >
          <p>Its encryption keys are destroyed. Nothing that it stores can be read again.</p>
        </Confirmation>
      ) : null}
    </Page>
  );
}
