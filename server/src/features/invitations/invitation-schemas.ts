import { type Static, Type } from 'typebox';
import { nameSchemas } from '../../http/routes/api-components.ts';
import { orNull } from '../../http/parameters/optional-schemas.ts';
import { pageOf, pageParameters } from '../../http/parameters/pagination.ts';
import { queryParameters } from '../../http/parameters/query-parameters.ts';
import { changeFields, timestamp, toChangeFields, toTimestamp } from '../../http/parameters/timestamp.ts';
import { ApprovalView, toApprovalField } from '../approvals/index.ts';
import { invitationStatuses, invitedRoles } from './invitation.ts';
import type { NewInvitation, ShownInvitation } from './invitation-service.ts';

export const CreateInvitation = Type.Object(
  {
    email: Type.String({ minLength: 1, maxLength: 254, description: 'E-mail address to send the invitation to.' }),
    role: orNull(Type.Enum([...invitedRoles], { description: 'The role that the person gets; `ADMIN` by default.' })),
  },
  { description: 'The invitation to create.' },
);

export const InvitationQuery = queryParameters({
  ...pageParameters,
  status: Type.Optional(
    Type.Enum([...invitationStatuses], { description: 'Return only invitations with this status.' }),
  ),
});

export const InvitationView = Type.Object(
  {
    id: Type.String({ description: 'Id of the invitation.' }),
    tenant_id: Type.String({ description: 'Id of the tenant.' }),
    email: Type.String({ description: 'E-mail address that the invitation was sent to.' }),
    role: Type.String({ description: 'The role that the person gets.' }),
    status: Type.String({ description: '`PENDING`, or `EXPIRED` once the link has expired.' }),
    expires_at: timestamp('When the link expires.'),
    approval: Type.Optional(ApprovalView),
    ...changeFields,
  },
  { description: 'An invitation that nobody has accepted yet.' },
);

export const InvitationPage = pageOf(InvitationView);

nameSchemas({ CreateInvitationRequest: CreateInvitation, Invitation: InvitationView, InvitationPage });

export function toNewInvitation(body: Static<typeof CreateInvitation>): NewInvitation {
  return { email: body.email, role: body.role ?? 'ADMIN' };
}

/** Returns the view of an invitation. It never contains the link, because the caller is not the invited person. */
export function toInvitationView(invitation: ShownInvitation): Static<typeof InvitationView> {
  return {
    id: invitation.id,
    tenant_id: invitation.tenantId,
    email: invitation.email,
    role: invitation.role,
    status: invitation.status,
    expires_at: toTimestamp(invitation.expiresAt),
    ...toApprovalField(invitation.approval),
    ...toChangeFields(invitation),
  };
}
