import { type Static, Type } from 'typebox';
import { transforms } from '../../core/access/access-rule.ts';
import { invalidField } from '../../core/errors/domain-error.ts';
import { isUuid } from '../../core/identity/ids.ts';
import { tokenLimits } from '../../core/token-limits.ts';
import { nameSchemas } from '../../http/api-components.ts';
import { queryParameters } from '../../http/query-parameters.ts';
import { Timestamp, toTimestamp } from '../../http/timestamp.ts';
import { facetValueLengthMax } from '../../platform/audit/audit-facet.ts';
import { type Facet, parseDate } from '../logs/index.ts';
import type { Period } from './exposure-service.ts';
import type { SubjectExposure } from './subject-exposure.ts';
import type { Tally } from './tally.ts';
import type { TokenViewers } from './token-viewers.ts';

/** A request reads at most this much time; without dates the last of it. */
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
  token_id: Type.String({ minLength: 1, maxLength: tokenLimits.idLengthMax }),
  ...periodParameters,
});

const Count = Type.Integer({ minimum: 0 });
const tally = { count: Count, first_at: Timestamp, last_at: Timestamp };
const Names = Type.Array(Type.String());
const Shown = Type.Enum([...transforms], {
  description: 'The view that was shown: `reveal` is plaintext, `mask` is masked data, `redact` no data.',
});
const shown = {
  transform: Shown,
  operations: Names,
  ways: Type.Array(Type.String(), {
    description: 'If not because somebody asked for the token: `view`, `replay` or `duplicate`.',
  }),
  destinations: Type.Array(Type.String(), { description: 'Hosts that plaintext was prepared for.' }),
};
const deed = { entity_type: Type.String(), operation: Type.String() };

const ExposedToken = Type.Object({ token_id: Type.String(), token_type: Type.String(), ...shown, ...tally });
const ExposedCall = Type.Object({
  destination: Type.Optional(Type.String()),
  outcome: Type.String(),
  sent: Type.Integer({ minimum: 0, description: 'How many of the calls carried plaintext.' }),
  ...tally,
});
const ExposureSearch = Type.Object({
  fields: Type.Array(Type.String(), { description: 'Fields that were asked about; none for a list.' }),
  found: Type.Integer({ minimum: 0, description: 'Tokens in the responses.' }),
  missed: Type.Integer({ minimum: 0, description: 'Searches that found nothing.' }),
  ...tally,
});
const ExposureMiss = Type.Object({
  ...deed,
  missing: Type.Integer({ minimum: 0, description: 'Things that were asked for and do not exist.' }),
  ...tally,
});

export const ExposureView = Type.Object(
  {
    start_date: Type.Optional(Timestamp),
    end_date: Type.Optional(Timestamp),
    records: Type.Integer({ minimum: 0, description: 'Each record is counted in exactly one of the lists.' }),
    tokens_seen: Type.Object({ reveal: Count, mask: Count, redact: Count }),
    tokens: Type.Array(ExposedToken),
    calls: Type.Array(ExposedCall, { description: 'Proxied calls by destination; an `intent` is their beginning.' }),
    searches: Type.Array(ExposureSearch),
    misses: Type.Array(ExposureMiss),
    denied: Type.Array(Type.Object({ ...deed, ...tally })),
    sessions: Type.Array(Type.Object({ session_id: Type.String(), ...tally }), {
      description: 'Sessions that the subject authorized. What they saw is a question of its own, by `session_id`.',
    }),
    others: Type.Array(Type.Object({ ...deed, outcome: Type.String(), ...tally })),
  },
  { description: 'What the subject saw and tried.' },
);

const actor = {
  actor_type: Type.Optional(Type.String()),
  actor_id: Type.Optional(Type.String()),
  key_id: Type.Optional(Type.String()),
};
const TokenViewer = Type.Object({
  ...actor,
  ...shown,
  exports: Type.Array(Type.String(), { description: 'Ids of exports that the token left with.' }),
  source_addresses: Names,
  ...tally,
});

export const ViewersView = Type.Object(
  {
    start_date: Type.Optional(Timestamp),
    end_date: Type.Optional(Timestamp),
    records: Count,
    viewers: Type.Array(TokenViewer),
    others: Type.Array(Type.Object({ ...actor, operation: Type.String(), outcome: Type.String(), ...tally }), {
      description: 'Those who did something to the token, or tried to, and were not shown it.',
    }),
  },
  { description: 'Everybody who saw the token, and how.' },
);

nameSchemas({ ExposedToken, ExposedCall, ExposureSearch, ExposureMiss, Exposure: ExposureView });
nameSchemas({ TokenViewer, TokenViewers: ViewersView });

/** Undefined where nothing can match, such as an id that is no UUID. */
export function toSubject(query: Static<typeof ExposureQuery>): Facet | undefined {
  const { key_id, application_id, session_id, user_id, source_address } = query;
  const subjects = Object.entries({ key_id, application_id, session_id, user_id, source_address });
  const given = subjects.flatMap(([name, value]) => (value === undefined ? [] : [{ name, value }]));
  const [subject] = given;
  if (subject === undefined || given.length > 1)
    throw invalidField('key_id', `exactly one of ${subjects.map(([name]) => name).join(', ')} is required`);
  const { name, value } = subject;
  if (name === 'source_address') return value.includes('\u0000') ? undefined : { field: name, value };
  // An application, a session and a user are actors, each with an id that nothing else has.
  return isUuid(value) ? { field: name === 'key_id' ? name : 'actor_id', value: value.toLowerCase() } : undefined;
}

export function toPeriod(query: { readonly start_date?: string; readonly end_date?: string }): Required<Period> {
  const to = parseDate('end_date', query.end_date) ?? new Date();
  const from = parseDate('start_date', query.start_date) ?? new Date(to.getTime() - spanDaysMax * dayMs);
  if (to.getTime() - from.getTime() > spanDaysMax * dayMs)
    throw invalidField('start_date', `must be at most ${spanDaysMax} days before end_date`);
  return { from, to };
}

export function toExposureView(exposure: SubjectExposure, period: Period): Static<typeof ExposureView> {
  const seen = (transform: string) => exposure.tokens.filter((line) => line.transform === transform).length;
  return {
    ...toPeriodView(period),
    records: exposure.records,
    tokens_seen: { reveal: seen('reveal'), mask: seen('mask'), redact: seen('redact') },
    tokens: exposure.tokens.map(({ tokenId, tokenType, ...line }) => ({
      token_id: tokenId,
      token_type: tokenType,
      ...toShownView(line),
      ...toTallyView(line),
    })),
    calls: exposure.calls.map(({ destination, outcome, sent, ...line }) => ({
      ...(destination === null ? {} : { destination }),
      outcome,
      sent,
      ...toTallyView(line),
    })),
    searches: exposure.searches.map(({ fields, found, missed, ...line }) => ({
      fields: [...fields],
      found,
      missed,
      ...toTallyView(line),
    })),
    misses: exposure.misses.map((line) => ({ ...toDeedView(line), missing: line.missing, ...toTallyView(line) })),
    denied: exposure.denied.map((line) => ({ ...toDeedView(line), ...toTallyView(line) })),
    sessions: exposure.sessions.map(({ sessionId, ...line }) => ({ session_id: sessionId, ...toTallyView(line) })),
    others: exposure.others.map((line) => ({ ...toDeedView(line), outcome: line.outcome, ...toTallyView(line) })),
  };
}

export function toViewersView({ records, viewers, others }: TokenViewers, period: Period): Static<typeof ViewersView> {
  return {
    ...toPeriodView(period),
    records,
    viewers: viewers.map((line) => ({
      ...toActorView(line),
      ...toShownView(line),
      exports: [...line.exports],
      source_addresses: [...line.sourceAddresses],
      ...toTallyView(line),
    })),
    others: others.map((line) => ({
      ...toActorView(line),
      operation: line.operation,
      outcome: line.outcome,
      ...toTallyView(line),
    })),
  };
}

function toPeriodView({ from, to }: Period) {
  return {
    ...(from === undefined ? {} : { start_date: toTimestamp(from) }),
    ...(to === undefined ? {} : { end_date: toTimestamp(to) }),
  };
}

function toTallyView({ count, firstAt, lastAt }: Tally) {
  return { count, first_at: toTimestamp(firstAt), last_at: toTimestamp(lastAt) };
}

function toDeedView({ entityType, operation }: { readonly entityType: string; readonly operation: string }) {
  return { entity_type: entityType, operation };
}

function toShownView(line: {
  readonly transform: (typeof transforms)[number];
  readonly operations: ReadonlySet<string>;
  readonly ways: ReadonlySet<string>;
  readonly destinations: ReadonlySet<string>;
}) {
  return {
    transform: line.transform,
    operations: [...line.operations],
    ways: [...line.ways],
    destinations: [...line.destinations],
  };
}

function toActorView(line: {
  readonly actorType: string | null;
  readonly actorId: string | null;
  readonly keyId: string | null;
}) {
  return {
    ...(line.actorType === null ? {} : { actor_type: line.actorType }),
    ...(line.actorId === null ? {} : { actor_id: line.actorId }),
    ...(line.keyId === null ? {} : { key_id: line.keyId }),
  };
}
