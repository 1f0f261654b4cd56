import type { Static } from 'typebox';
import type { transforms } from '../../core/access/access-rule.ts';
import { toTimestamp } from '../../http/parameters/timestamp.ts';
import type { ReportedPeriod } from './exposure-service.ts';
import type { ExposureView, ViewersView } from './exposure-view-schemas.ts';
import type { SubjectExposure } from './subject-exposure.ts';
import type { Tally } from './tally.ts';
import type { TokenViewers } from './token-viewers.ts';

export function toExposureView(exposure: SubjectExposure, period: ReportedPeriod): Static<typeof ExposureView> {
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
    searches: exposure.searches.map(({ fields, found, missed, missing, ...line }) => ({
      fields: [...fields],
      found,
      missed,
      missing,
      ...toTallyView(line),
    })),
    misses: exposure.misses.map((line) => ({ ...toDeedView(line), missing: line.missing, ...toTallyView(line) })),
    denied: exposure.denied.map((line) => ({ ...toDeedView(line), ...toTallyView(line) })),
    sessions: exposure.sessions.map(({ sessionId, ...line }) => ({ session_id: sessionId, ...toTallyView(line) })),
    handed_out: exposure.handedOut.map((line) => ({
      ...toDeedView(line),
      entity_id: line.entityId,
      ...toTallyView(line),
    })),
    others: exposure.others.map((line) => ({ ...toDeedView(line), outcome: line.outcome, ...toTallyView(line) })),
  };
}

export function toViewersView(
  { records, viewers, others }: TokenViewers,
  period: ReportedPeriod,
): Static<typeof ViewersView> {
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

function toPeriodView({ from, to, keptSince }: ReportedPeriod) {
  return {
    ...(from === undefined ? {} : { start_date: toTimestamp(from) }),
    ...(to === undefined ? {} : { end_date: toTimestamp(to) }),
    kept_since: toTimestamp(keptSince),
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
