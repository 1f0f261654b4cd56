import { type Static, Type } from 'typebox';
import { nameSchemas } from '../../http/routes/api-components.ts';
import { timestamp, toTimestamp } from '../../http/parameters/timestamp.ts';
import { type ApprovalRequest, approvalStatuses } from './approval.ts';

export const ApprovalView = Type.Object(
  {
    id: Type.String({ format: 'uuid', description: 'Id of the request for approval.' }),
    status: Type.Enum([...approvalStatuses], {
      description:
        '`pending` until enough owners and admins have approved it. What is pending is not in force. `stale`: approved, but what it would have changed, or the right to request it, had changed by then.',
    }),
    requested_by: Type.String({ format: 'uuid', description: 'Id of the application or user who requested it.' }),
    requested_at: timestamp('When it was requested.'),
    expires_at: timestamp('When the request expires if it has not been approved.'),
    approvals_needed: Type.Integer({
      description:
        'How many members have to approve it: one if a member requested it, two if an application or a member who signed in with a link did.',
    }),
    approvals_given: Type.Integer({ description: 'How many members have approved it.' }),
    approved_by: Type.Optional(
      Type.String({ format: 'uuid', description: 'Id of the user who gave the last approval.' }),
    ),
  },
  {
    description:
      'The last change that needed approval, because the tenant has `approve_plaintext` set to `true`. Decided requests are shown for 90 days.',
  },
);

nameSchemas({ Approval: ApprovalView });

/** Returns the `approval` field of a view. It is absent if no approval was ever needed. */
export function toApprovalField(request: ApprovalRequest | undefined): { approval?: Static<typeof ApprovalView> } {
  if (request === undefined) return {};
  return {
    approval: {
      id: request.id,
      status: request.status,
      requested_by: request.requestedBy,
      requested_at: toTimestamp(request.requestedAt),
      expires_at: toTimestamp(request.expiresAt),
      approvals_needed: request.approvalsNeeded,
      approvals_given: request.approvals.length,
      ...(request.status === 'approved' && request.decidedBy !== null ? { approved_by: request.decidedBy } : {}),
    },
  };
}
