import { type Static, Type } from 'typebox';
import { transforms } from '../../core/access/access-rule.ts';
import { applicationTypes } from '../../core/access/permission.ts';
import { type Sight, sightWays } from '../../core/sight/sight.ts';
import { invalidField } from '../../core/errors/domain-error.ts';
import { isUuid } from '../../core/identity/ids.ts';
import { tokenLimits } from '../../core/token-limits.ts';
import { nameSchemas } from '../../http/routes/api-components.ts';
import { orNull } from '../../http/parameters/optional-schemas.ts';
import { timestamp, toTimestamp } from '../../http/parameters/timestamp.ts';
import { toContainer, toTokenId } from './explain-schemas.ts';
import { requireOneOf } from './explain-service.ts';
import { type OnlookerCursor, onlookerLists, type Onlookers, type WhoQuestion } from './who-service.ts';

export const FindOnlookers = Type.Object(
  {
    token_id: orNull(Type.String({ description: 'Id of the token. Give either a token or a container.' })),
    container: orNull(
      Type.String({
        maxLength: tokenLimits.containerLengthMax,
        description: 'Path of the container, including everything below it. Give either a token or a container.',
      }),
    ),
    start: orNull(
      Type.String({
        maxLength: 100,
        description: 'The `next` of an earlier response, for those who follow.',
      }),
    ),
  },
  { description: 'The token or container in question.' },
);

const AccessWay = Type.Object(
  {
    way: Type.Enum([...sightWays], {
      description: 'A permission, or an indirect way such as a mask that shows everything.',
    }),
    transform: Type.Enum([...transforms], { description: 'How much can be seen in this way.' }),
  },
  { description: 'A way to see a token.' },
);
const sight = {
  transform: Type.Enum([...transforms], { description: 'The most that can be seen: `reveal` is plaintext.' }),
  ways: Type.Array(AccessWay, { description: 'Every way to see it.' }),
};
const uuid = (description: string) => Type.String({ format: 'uuid', description });

const OnlookingApplication = Type.Object(
  {
    id: uuid('Id of the application.'),
    name: Type.String({ description: 'Its name.' }),
    type: Type.Enum([...applicationTypes], { description: 'Its type.' }),
    ...sight,
  },
  { description: 'An application that can see a token.' },
);
const OnlookingMember = Type.Object(
  {
    id: Type.Optional(uuid('Id of the member, for keys with `tenant:member:read`.')),
    user_id: Type.Optional(uuid('Id of the user, for keys with `tenant:member:read`.')),
    role: Type.String({ description: 'Role of the member.' }),
    ...sight,
  },
  { description: 'A member who can see a token.' },
);
const OnlookingInvitation = Type.Object(
  {
    id: Type.Optional(uuid('Id of the invitation, for keys with `tenant:invitation:read`.')),
    role: Type.String({ description: 'Role that the invited person gets.' }),
    expires_at: timestamp('When the invitation expires.'),
    ...sight,
  },
  { description: 'An invitation whose holder can see a token.' },
);
const OnlookingSession = Type.Object(
  {
    id: uuid('Id of the session.'),
    authorized_by: uuid('Id of the application that authorized it.'),
    expires_at: timestamp('When the session ends.'),
    ...sight,
  },
  { description: 'A session that can see a token.' },
);

export const OnlookersView = Type.Object(
  {
    applications: Type.Array(OnlookingApplication, { description: 'Applications that can see it.' }),
    members: Type.Array(OnlookingMember, { description: 'Members who can see it.' }),
    invitations: Type.Array(OnlookingInvitation, { description: 'Invitations whose holders can see it.' }),
    sessions: Type.Array(OnlookingSession, { description: 'Live sessions that can see it.' }),
    next: Type.Optional(Type.String({ description: 'Present if there may be more. Send it as `start` to continue.' })),
  },
  { description: 'Everybody who can see the token, or tokens in the container.' },
);

nameSchemas({ FindOnlookersRequest: FindOnlookers, AccessWay, Onlookers: OnlookersView });
nameSchemas({ OnlookingApplication, OnlookingMember, OnlookingInvitation, OnlookingSession });

export function toWhoQuestion({ token_id, container, start }: Static<typeof FindOnlookers>): WhoQuestion {
  const tokenId = token_id ?? undefined;
  const path = container ?? undefined;
  requireOneOf({ token_id: tokenId !== undefined, container: path !== undefined });
  return {
    target: tokenId === undefined ? { container: toContainer(path ?? '') } : { tokenId: toTokenId(tokenId) },
    after: start === undefined || start === null ? undefined : parseCursor(start),
  };
}

/** Parses a cursor: `<list>.<id>` of the last row of an earlier response. */
function parseCursor(text: string): OnlookerCursor {
  const [name, id = '', ...rest] = text.split('.');
  const list = onlookerLists.find((known) => known === name);
  if (list === undefined || rest.length > 0 || !isUuid(id))
    throw invalidField('start', 'must be the `next` of an earlier response');
  return { list, id };
}

export function toWhoView(found: Onlookers): Static<typeof OnlookersView> {
  const { applications, members, invitations, sessions, next } = found;
  return {
    applications: applications.map(({ id, name, type, ...seen }) => ({ id, name, type, ...toSightView(seen) })),
    members: members.map(({ id, userId, role, ...seen }) => ({
      ...(id === undefined ? {} : { id }),
      ...(userId === undefined ? {} : { user_id: userId }),
      role,
      ...toSightView(seen),
    })),
    invitations: invitations.map(({ id, role, expiresAt, ...seen }) => ({
      ...(id === undefined ? {} : { id }),
      role,
      expires_at: toTimestamp(expiresAt),
      ...toSightView(seen),
    })),
    sessions: sessions.map(({ id, authorizedBy, expiresAt, ...seen }) => ({
      id,
      authorized_by: authorizedBy,
      expires_at: toTimestamp(expiresAt),
      ...toSightView(seen),
    })),
    ...(next === undefined ? {} : { next: `${next.list}.${next.id}` }),
  };
}

function toSightView({ transform, ways }: Sight) {
  return { transform, ways: ways.map((way) => ({ ...way })) };
}
