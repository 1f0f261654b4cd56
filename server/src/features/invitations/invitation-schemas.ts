import { type Static, Type } from 'typebox';
import { nameSchemas } from '../../http/api-components.ts';
import { pageParameters, PaginationView } from '../../http/pagination.ts';
import { queryParameters } from '../../http/query-parameters.ts';
import { changeFields, Timestamp, toChangeFields, toTimestamp } from '../../http/timestamp.ts';
import { type Invitation, invitationStatuses, invitedRoles } from './invitation.ts';
import type { NewInvitation } from './invitation-service.ts';

export const CreateInvitation = Type.Object({
  email: Type.String({ minLength: 1, maxLength: 254, description: 'E-mail address to send the invitation to.' }),
  role: Type.Optional(Type.Union([Type.Enum([...invitedRoles]), Type.Null()])),
});

export const InvitationQuery = queryParameters({
  ...pageParameters,
  status: Type.Optional(Type.Enum([...invitationStatuses])),
});

export const InvitationView = Type.Object({
  id: Type.String(),
  tenant_id: Type.String(),
  email: Type.String(),
  role: Type.String(),
  status: Type.String(),
  expires_at: Timestamp,
  ...changeFields,
});

export const InvitationPage = Type.Object({ pagination: PaginationView, data: Type.Array(InvitationView) });

nameSchemas({ CreateInvitationRequest: CreateInvitation, Invitation: InvitationView, InvitationPage });

export function toNewInvitation(body: Static<typeof CreateInvitation>): NewInvitation {
  return { email: body.email, role: body.role ?? 'ADMIN' };
}

/** Never the link: a caller who reads invitations is not the invited person. */
export function toInvitationView(invitation: Invitation): Static<typeof InvitationView> {
  return {
    id: invitation.id,
    tenant_id: invitation.tenantId,
    email: invitation.email,
    role: invitation.role,
    status: invitation.status,
    expires_at: toTimestamp(invitation.expiresAt),
    ...toChangeFields(invitation),
  };
}
