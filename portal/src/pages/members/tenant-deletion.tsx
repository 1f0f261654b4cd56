import { Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useMember } from '../../api/me';
import { useTenantDeletion, useTenantRemoval } from '../../api/tenant-deletion';
import { Button } from '../../parts/controls/button';
import { Confirmation } from '../../parts/overlay/confirmation';
import { Card, CardBody } from '../../parts/page/card';

/** Deletes the tenant, which only its owner can do. */
export function TenantDeletion() {
  const member = useMember();
  const [isOpen, setOpen] = useState(false);
  if (!member.may('tenant:delete')) return null;
  return (
    <Card title="Delete this tenant">
      <CardBody>
        <p>Only the owner can. Every key and session is refused at once, and the data is kept for seven days.</p>
        <div>
          <Button kind="warns" icon={Trash2} onClick={() => setOpen(true)}>
            Delete this tenant …
          </Button>
        </div>
      </CardBody>
      {isOpen ? <Deletion close={() => setOpen(false)} /> : null}
    </Card>
  );
}

function Deletion({ close }: { readonly close: () => void }) {
  const { tenant } = useMember();
  const [isAtOnce, setAtOnce] = useState(false);
  const deletion = useTenantDeletion();
  const removal = useTenantRemoval(tenant.name);
  return (
    <Confirmation
      key={String(isAtOnce)}
      title={`Delete ${tenant.name}?`}
      action={isAtOnce ? 'Remove the tenant now' : 'Delete the tenant'}
      {...(isAtOnce ? { typedName: tenant.name } : {})}
      work={isAtOnce ? removal : deletion}
      onClose={close}
    >
      <p>
        Applications, members and card fields of this tenant stop working.{' '}
        {isAtOnce
          ? 'Its encryption keys are destroyed, and nothing that it stores can be read again.'
          : 'For seven days you can restore it on this page, with everything in it. After that it is removed for good.'}
      </p>
      <label className="choice">
        <input type="checkbox" checked={isAtOnce} onChange={(event) => setAtOnce(event.target.checked)} />
        Remove it now instead, with its encryption keys
      </label>
    </Confirmation>
  );
}
