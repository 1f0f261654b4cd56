import { type Static, Type } from 'typebox';
import { invalidField } from '../../core/errors/domain-error.ts';
import { isUuid } from '../../core/identity/ids.ts';
import { tokenLimits } from '../../core/token-limits.ts';
import { queryParameters } from '../../http/parameters/query-parameters.ts';
import { facetValueLengthMax } from '../../platform/audit/record/audit-facet.ts';
import { type Facet, parseDate, toFacet } from '../logs/index.ts';
import type { Period } from './exposure-service.ts';

/** The longest period of one request, in days. Without dates, a request reads the most recent period of this length. */
const spanDaysMax = 92;
const dayMs = 86_400_000;

const id = (description: string) => Type.Optional(Type.String({ maxLength: 100, description }));
const periodParameters = {
  start_date: Type.Optional(
    Type.String({ maxLength: 50, description: `ISO 8601: records from then on; ${spanDaysMax} days by default.` }),
  ),
  end_date: Type.Optional(
    Type.String({
      maxLength: 50,
      description: `ISO 8601: records before then, at most ${spanDaysMax} days after start_date.`,
    }),
  ),
};

export const ExposureQuery = queryParameters({
  key_id: id('A key of an application.'),
  application_id: id('An application, with all of its keys.'),
  session_id: id('A session.'),
  user_id: id('A user, who is signed in at the portal.'),
  source_address: Type.Optional(
    Type.String({ maxLength: facetValueLengthMax, description: 'An address of a client, whichever key it used.' }),
  ),
  ...periodParameters,
});

export const ViewersQuery = queryParameters({
  token_id: Type.String({
    minLength: 1,
    maxLength: tokenLimits.idLengthMax,
    description: 'Id of the token, which may have been deleted.',
  }),
  ...periodParameters,
});

/** Returns undefined if nothing can match, for example if an id is not a UUID. */
export function toSubject(query: Static<typeof ExposureQuery>): Facet | undefined {
  const { key_id, application_id, session_id, user_id, source_address } = query;
  const subjects = Object.entries({ key_id, application_id, session_id, user_id, source_address });
  const given = subjects.flatMap(([name, value]) => (value === undefined ? [] : [{ name, value }]));
  const [subject] = given;
  if (subject === undefined || given.length > 1)
    throw invalidField('key_id', `exactly one of ${subjects.map(([name]) => name).join(', ')} is required`);
  const { name, value } = subject;
  if (name === 'source_address') return value.includes('\u0000') ? undefined : toFacet(name, value);
  // Applications, sessions and users are all actors, and their ids are unique.
  return isUuid(value) ? toFacet(name === 'key_id' ? name : 'actor_id', value) : undefined;
}

/**
 * Parses the period. It has no end unless one is given, because the clock of this server may be behind the timestamps
 * of the records.
 */
export function toPeriod(query: { readonly start_date?: string; readonly end_date?: string }): Period {
  const to = parseDate('end_date', query.end_date);
  const end = to?.getTime() ?? Date.now();
  const from = parseDate('start_date', query.start_date) ?? new Date(end - spanDaysMax * dayMs);
  if (to !== undefined && from >= to) throw invalidField('start_date', 'must be before end_date');
  if (end - from.getTime() > spanDaysMax * dayMs)
    throw invalidField('start_date', `must be at most ${spanDaysMax} days before end_date`);
  return { from, to };
}
