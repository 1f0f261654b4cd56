import { type Static, Type } from 'typebox';
import { transforms } from '../../core/access/access-rule.ts';
import { applicationTypes } from '../../core/access/permission.ts';
import { type Sight, sightWays } from '../../core/access/sight.ts';
import { invalidField } from '../../core/errors/domain-error.ts';
import { isUuid } from '../../core/identity/ids.ts';
import { tokenLimits } from '../../core/token-limits.ts';
import { nameSchemas } from '../../http/api-components.ts';
import { orNull } from '../../http/optional-schemas.ts';
import { Timestamp, toTimestamp } from '../../http/timestamp.ts';
import { toContainer, toTokenId } from './explain-schemas.ts';
import { requireOneOf } from './explain-service.ts';
import type { Onlookers, WhoQuestion } from './who-service.ts';

export const FindOnlookers = Type.Object({
  token_id: orNull(Type.String({ description: 'A token, or a container instead.' })),
  container: orNull(Type.String({ maxLength: tokenLimits.containerLengthMax })),
  start: orNull(
    Type.String({
      maxLength: 100,
      description: 'The `next` of an earlier response: for further sessions, without applications and members.',
    }),
  ),
});

const AccessWay = Type.Object({
  way: Type.Enum([...sightWays], { description: 'A permission, or a roundabout way.' }),
  transform: Type.Enum([...transforms]),
});
const sight = {
  transform: Type.Enum([...transforms], { description: 'The most that can be seen: `reveal` is plaintext.' }),
  ways: Type.Array(AccessWay),
};
const Id = Type.String({ format: 'uuid' });

export const OnlookersView = Type.Object({
  applications: Type.Array(
    Type.Object({ id: Id, name: Type.String(), type: Type.Enum([...applicationTypes]), ...sight }),
  ),
  members: Type.Array(Type.Object({ id: Id, user_id: Id, role: Type.String(), ...sight })),
  sessions: Type.Array(Type.Object({ id: Id, authorized_by: Id, expires_at: Timestamp, ...sight })),
  next: Type.Optional(Type.String({ description: 'There may be more sessions: send it as `start`.' })),
});

nameSchemas({ FindOnlookersRequest: FindOnlookers, AccessWay, Onlookers: OnlookersView });

export function toWhoQuestion({ token_id, container, start }: Static<typeof FindOnlookers>): WhoQuestion {
  const tokenId = token_id ?? undefined;
  const path = container ?? undefined;
  requireOneOf({ token_id: tokenId !== undefined, container: path !== undefined });
  const afterSession = start ?? undefined;
  if (afterSession !== undefined && !isUuid(afterSession))
    throw invalidField('start', 'must be the `next` of an earlier response');
  return {
    target: tokenId === undefined ? { container: toContainer(path ?? '') } : { tokenId: toTokenId(tokenId) },
    afterSession,
  };
}

export function toWhoView({ applications, members, sessions, nextSession }: Onlookers): Static<typeof OnlookersView> {
  return {
    applications: applications.map(({ id, name, type, ...seen }) => ({ id, name, type, ...toSightView(seen) })),
    members: members.map(({ id, userId, role, ...seen }) => ({ id, user_id: userId, role, ...toSightView(seen) })),
    sessions: sessions.map(({ id, authorizedBy, expiresAt, ...seen }) => ({
      id,
      authorized_by: authorizedBy,
      expires_at: toTimestamp(expiresAt),
      ...toSightView(seen),
    })),
    ...(nextSession === undefined ? {} : { next: nextSession }),
  };
}

function toSightView({ transform, ways }: Sight) {
  return { transform, ways: ways.map((way) => ({ ...way })) };
}
