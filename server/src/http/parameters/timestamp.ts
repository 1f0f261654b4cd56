import { Type } from 'typebox';
import { invalidField } from '../../core/errors/domain-error.ts';
import { parseIsoTimestamp } from '../../core/expiry/timestamp.ts';

/** Returns the schema of a time, which the vault always writes as ISO 8601 in UTC. */
export function timestamp(description: string) {
  return Type.String({ format: 'date-time', description });
}

export function toTimestamp(date: Date): string {
  return date.toISOString();
}

/** Parses the expiry of an application or a session. Its offset is not kept. */
export function parseEnd(text: string): Date {
  const timestamp = parseIsoTimestamp(text);
  if (timestamp === undefined) throw invalidField('expires_at', 'must be an ISO 8601 date-time');
  return timestamp.instant;
}

/** The four fields that say who created and last changed something, and when. Unset fields are omitted. */
export const changeFields = {
  created_by: Type.Optional(
    Type.String({ format: 'uuid', description: 'Id of the application or user who created it.' }),
  ),
  created_at: timestamp('When it was created.'),
  modified_by: Type.Optional(
    Type.String({ format: 'uuid', description: 'Id of the application or user who last changed it.' }),
  ),
  modified_at: Type.Optional(timestamp('When it was last changed.')),
};

export function toChangeFields(thing: {
  readonly createdBy: string | null;
  readonly createdAt: Date;
  readonly modifiedBy: string | null;
  readonly modifiedAt: Date | null;
}) {
  return {
    ...(thing.createdBy === null ? {} : { created_by: thing.createdBy }),
    created_at: toTimestamp(thing.createdAt),
    ...(thing.modifiedBy === null ? {} : { modified_by: thing.modifiedBy }),
    ...(thing.modifiedAt === null ? {} : { modified_at: toTimestamp(thing.modifiedAt) }),
  };
}
