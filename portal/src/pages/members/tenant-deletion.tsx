import { useState } from 'react';
import { useMember } from '../../api/me';
import { useTenantDeletion } from '../../api/tenant-deletion';
import { Dialog } from '../../parts/dialog';
import { Section } from '../../parts/page';
import { Failure } from '../../parts/states';
import { TypedName } from '../../parts/typed-name';

/** Deletes the tenant, which only its owner can do. */
export function TenantDeletion() {
  const member = useMember();
  const [isOpen, setOpen] = useState(false);
  if (!member.may('tenant:delete')) return null;
  return (
    <Section
      title="Delete this tenant"
      note="Only the owner can. Every key and session is refused at once, and the data is kept for seven days."
    >
      <button type="button" className="danger" onClick={() => setOpen(true)}>
        Delete this tenant …
      </button>
      {isOpen ? <DeletionDialog close={() => setOpen(false)} /> : null}
    </Section>
  );
}

function DeletionDialog({ close }: { readonly close: () => void }) {
  const { tenant } = useMember();
  const [isAtOnce, setAtOnce] = useState(false);
  const deletion = useTenantDeletion();
  return (
    <Dialog title={`Delete ${tenant.name}?`} onClose={close}>
      <p>
        Applications, members and card fields of this tenant stop working. For seven days you can restore it on this
        page, with everything in it. After that it is removed for good.
      </p>
      <p>
        <label>
          <input type="checkbox" checked={isAtOnce} onChange={(event) => setAtOnce(event.target.checked)} /> Remove it
          now instead, with its encryption keys
        </label>
      </p>
      {isAtOnce ? (
        <TypedName name={tenant.name} work={deletion} />
      ) : (
        <>
          {deletion.error === null ? null : <Failure error={deletion.error} />}
          <div className="actions">
            <button
              type="button"
              className="danger"
              disabled={deletion.isPending}
              onClick={() => deletion.mutate(undefined)}
            >
              Delete the tenant
            </button>
          </div>
        </>
      )}
    </Dialog>
  );
}
