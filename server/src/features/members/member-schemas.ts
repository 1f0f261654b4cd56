import { type Static, Type } from 'typebox';
import { invalidField } from '../../core/errors/domain-error.ts';
import { isUuid } from '../../core/identity/ids.ts';
import { nameSchemas } from '../../http/routes/api-components.ts';
import { pageOf, pageParametersUpTo } from '../../http/parameters/pagination.ts';
import { queryParameters } from '../../http/parameters/query-parameters.ts';
import { changeFields, timestamp, toChangeFields, toTimestamp } from '../../http/parameters/timestamp.ts';
import { type ApprovalRequest, ApprovalView, toApprovalField } from '../approvals/index.ts';
import { type Member, roles, signInKinds } from './member.ts';

/** The maximum number of users in one request. */
const userIdsMax = 100;
const UserId = Type.String({ maxLength: 36 });

export const memberSizeMax = 50;

export const MemberQuery = queryParameters({
  ...pageParametersUpTo(memberSizeMax),
  user_id: Type.Optional(
    Type.Union([UserId, Type.Array(UserId, { maxItems: userIdsMax })], {
      description: 'Returns only members with this user id. The parameter can be repeated.',
    }),
  ),
});

export const UpdateMember = Type.Object(
  { role: Type.Enum([...roles], { description: 'The new role.' }) },
  { description: 'The changes to a member.' },
);

const UserView = Type.Object(
  {
    id: Type.String({ description: 'Id of the user.' }),
    email: Type.Optional(Type.String({ description: 'E-mail address.' })),
    first_name: Type.Optional(Type.String({ description: 'First name.' })),
    last_name: Type.Optional(Type.String({ description: 'Last name.' })),
    picture: Type.Optional(Type.String({ description: 'URL of a picture.' })),
  },
  { description: 'A person, who can belong to several tenants.' },
);

export const MemberView = Type.Object(
  {
    id: Type.String({ description: 'Id of the member.' }),
    tenant_id: Type.String({ description: 'Id of the tenant.' }),
    role: Type.String({ description: '`OWNER`, `ADMIN` or `READ_ONLY`.' }),
    user: UserView,
    last_signed_in_at: Type.Optional(timestamp('When the member last signed in. Absent if they never have.')),
    sign_in_ways: Type.Array(Type.Enum([...signInKinds]), {
      description: 'The sign-in methods of the member. Empty for a member who needs a sign-in link.',
    }),
    approval: Type.Optional(ApprovalView),
    ...changeFields,
    created_date: timestamp('The same as `created_at`, for clients that use this older name.'),
  },
  { description: 'A person who belongs to the tenant.' },
);

export const MemberPage = pageOf(MemberView);

nameSchemas({ UpdateMemberRequest: UpdateMember, User: UserView, Member: MemberView, MemberPage });

/** Returns the requested users. Undefined means all. */
export function parseUserIds(query: Static<typeof MemberQuery>): string[] | undefined {
  if (query.user_id === undefined) return undefined;
  const userIds = [query.user_id].flat();
  if (!userIds.every(isUuid)) throw invalidField('user_id', 'must be a UUID');
  return userIds;
}

export function toMemberView(
  member: Member & { readonly approval?: ApprovalRequest | undefined },
): Static<typeof MemberView> {
  return {
    id: member.id,
    tenant_id: member.tenantId,
    role: member.role,
    user: {
      id: member.userId,
      ...(member.email === null ? {} : { email: member.email }),
      ...(member.firstName === null ? {} : { first_name: member.firstName }),
      ...(member.lastName === null ? {} : { last_name: member.lastName }),
      ...(member.picture === null ? {} : { picture: member.picture }),
    },
    ...(member.lastSignedInAt === null ? {} : { last_signed_in_at: toTimestamp(member.lastSignedInAt) }),
    sign_in_ways: [...member.signInWays],
    ...toApprovalField(member.approval),
    ...toChangeFields(member),
    // Published clients use this older name.
    created_date: toTimestamp(member.createdAt),
  };
}
