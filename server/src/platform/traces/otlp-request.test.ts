import { SpanKind as OtelKind, SpanStatusCode } from '@opentelemetry/api';
import { JsonTraceSerializer } from '@opentelemetry/otlp-transformer';
import { resourceFromAttributes } from '@opentelemetry/resources';
import type { ReadableSpan } from '@opentelemetry/sdk-trace';
import { describe, expect, it } from 'vitest';
import { DomainError } from '../../core/errors/domain-error.ts';
import { hasMembers } from '../../core/objects/members-of.ts';
import { StatementError } from '../database/database-error.ts';
import { toOtlpRequest } from './otlp-request.ts';
import { RecordedSpan, type SpanKind } from './recorded-span.ts';
import { pickAttributes } from '../telemetry/span-attributes.ts';
import type { TraceParent } from '../telemetry/tracer.ts';

const traceId = '0af7651916cd43dd8448eb211c80319c';
const parent = { traceId, spanId: 'b7ad6b7169203331', isSampled: true };
const resource = { 'service.name': 'strongroom', 'strongroom.role': 'serve' };

/** Records a request with a part span, a failed call, and a link. */
function recordTrace({ parent, job }: { parent?: TraceParent; job?: string }): RecordedSpan[] {
  const kept: RecordedSpan[] = [];
  const ofRequest = { 'http.request.method': 'POST', 'http.route': '/tokens', 'http.response.status_code': 201 };
  const root = RecordedSpan.root(
    {
      kind: job === undefined ? 'request' : 'job',
      describe: () => ({
        name: job === undefined ? 'POST /tokens' : `job ${job}`,
        attributes: job === undefined ? ofRequest : { 'strongroom.job': job },
      }),
      parent,
    },
    traceId,
    (span) => kept.push(span),
  );
  const batch = root.child('batch', 'part', { 'strongroom.batch': 'token-create', 'strongroom.items': 2 });
  const statement = batch?.child('statement', 'call', { 'strongroom.statement': 'token-insert' });
  statement?.end({ thrown: new StatementError('23505', 'tokens_pkey') });
  if (statement !== undefined) batch?.link(statement);
  batch?.end({ thrown: new DomainError('overloaded', 'The vault is at capacity.') });
  root.end();
  return kept;
}

describe('an OTLP request', () => {
  it.each([
    ['of a request', {}],
    ['of a request with a parent', { parent }],
    ['of a job', { job: 'sweep-sessions' }],
  ] as const)('%s is what the serializer of OpenTelemetry writes', (_, start) => {
    const spans = recordTrace(start);
    const reference = JsonTraceSerializer.serializeRequest(spans.map(toReadableSpan));
    expect(withoutEmpty(JSON.parse(toOtlpRequest(spans, resource)))).toEqual(
      withoutEmpty(JSON.parse(Buffer.from(reference ?? []).toString('utf8'))),
    );
  });

  it('says what failed in a code, never in a message', () => {
    const text = toOtlpRequest(recordTrace({}), resource);
    expect(text).toContain('"23505"');
    expect(text).toContain('"overloaded"');
    expect(text).not.toMatch(/capacity|tokens_pkey/);
  });
});

describe('an attribute', () => {
  it.each([
    ['of another name', { 'url.full': 'https://api.provider.example/charge' }],
    ['that is a path', { 'http.route': '/tokens/4242424242424242' }],
    ['that is text', { 'error.type': 'The number 4242 is taken.' }],
    ['that is a number where a name belongs', { 'strongroom.statement': '4242424242424242' }],
    ['that is a name where an id belongs', { 'strongroom.tenant_id': 'Jane Doe' }],
    ['that is text where a number belongs', { 'strongroom.items': '4242-4242' }],
    ['that is an object', { 'strongroom.batch': { number: '4242424242424242' } }],
  ])('%s is left out, whatever the compiler was told', (_, attributes) => {
    expect(pickAttributes(attributes as never)).toEqual([]);
  });
});

const otelResource = resourceFromAttributes(resource);
const otelKinds: Readonly<Record<SpanKind, OtelKind>> = {
  request: OtelKind.SERVER,
  job: OtelKind.CONSUMER,
  part: OtelKind.INTERNAL,
  call: OtelKind.CLIENT,
};

/** Converts a span into its equivalent in the OpenTelemetry SDK. */
function toReadableSpan(span: RecordedSpan): ReadableSpan {
  const context = (spanId: string, isRemote = false) => ({ traceId, spanId, traceFlags: 1, isRemote });
  const toTime = (ms: number): [number, number] => {
    const microseconds = Math.round((ms + span.run.clockOffsetMs) * 1_000);
    return [Math.floor(microseconds / 1_000_000), (microseconds % 1_000_000) * 1_000];
  };
  return {
    name: span.name,
    kind: otelKinds[span.kind],
    spanContext: () => context(span.spanId),
    ...(span.parentSpanId === undefined ? {} : { parentSpanContext: context(span.parentSpanId, span.isParentRemote) }),
    startTime: toTime(span.startedMs),
    endTime: toTime(span.endedMs ?? Number.NaN),
    duration: [0, 0],
    ended: true,
    status: { code: span.hasFailed ? SpanStatusCode.ERROR : SpanStatusCode.UNSET },
    attributes: { ...span.attributes },
    links: span.links.map(({ spanId }) => ({ context: context(spanId) })),
    events: [],
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
    resource: otelResource,
    instrumentationScope: { name: 'strongroom' },
  };
}

/** Removes empty members. In protobuf, a value that is zero or empty is the same as a missing one. */
function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEmpty);
  if (!hasMembers(value)) return value;
  const members = Object.entries(value).map(([name, member]) => [name, withoutEmpty(member)] as const);
  return Object.fromEntries(members.filter(([, member]) => !isEmpty(member)));
}

function isEmpty(value: unknown): boolean {
  return (
    value === 0 || (Array.isArray(value) ? value.length === 0 : hasMembers(value) && Object.keys(value).length === 0)
  );
}
