import type { Schemas } from '../api/client';
import { Tag } from './tag';
import { Time } from './time';

interface Approvable {
  readonly approval?: Schemas['Approval'] | undefined;
}

/** Marks something that does not take effect until others have approved it. */
export function ApprovalTag({ of: { approval } }: { readonly of: Approvable }) {
  if (approval?.status !== 'pending') return null;
  return (
    <>
      {' '}
      <Tag tone="warn">awaiting approval</Tag>
    </>
  );
}

/** Explains what is pending and where to approve it. */
export function ApprovalNotice({ of: { approval }, what }: { readonly of: Approvable; readonly what: string }) {
  if (approval?.status !== 'pending') return null;
  const { approvals_given: given, approvals_needed: needed } = approval;
  return (
    <p role="status" className="alert">
      {what} It has {given} of {needed} {needed === 1 ? 'approval' : 'approvals'} and expires{' '}
      <Time at={approval.expires_at} />. Owners and admins decide under <a href="/portal/approvals">Approvals</a>.
    </p>
  );
}
