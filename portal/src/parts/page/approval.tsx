import { Hourglass } from 'lucide-react';
import type { Schemas } from '../../api/client';
import { Icon } from '../icon';
import { Tag } from '../show/tag';
import { Time } from '../show/time';

interface Approvable {
  readonly approval?: Schemas['Approval'] | undefined;
}

/** Marks something that does not take effect until others have approved it. */
export function ApprovalTag({ of: { approval } }: { readonly of: Approvable }) {
  if (approval?.status !== 'pending') return null;
  return (
    <Tag tone="plain" icon={Hourglass}>
      awaiting approval
    </Tag>
  );
}

/** Explains what is pending and where to approve it. */
export function ApprovalNotice({ of: { approval }, what }: { readonly of: Approvable; readonly what: string }) {
  if (approval?.status !== 'pending') return null;
  const { approvals_given: given, approvals_needed: needed } = approval;
  return (
    <p role="status" className="banner plain">
      <Icon of={Hourglass} />
      <span>
        {what} It has {given} of {needed} {needed === 1 ? 'approval' : 'approvals'} and expires{' '}
        <Time at={approval.expires_at} form="exact" />. Owners and admins decide under{' '}
        <a href="/portal/approvals">Approvals</a>.
      </span>
    </p>
  );
}
