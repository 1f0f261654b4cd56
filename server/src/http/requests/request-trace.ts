import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isUuid } from '../../core/identity/ids.ts';
import type { SpanAttributes } from '../../platform/telemetry/span-attributes.ts';
import type { Span, Tracer, TraceStart } from '../../platform/telemetry/tracer.ts';
import { whenOver } from '../connections/current-requests.ts';
import { toTemplate } from '../routes/route-template.ts';
import { parseTraceParent } from '../connections/trace-parent.ts';

/** The UUID that is not a valid trace id (W3C Trace Context §3.2.2.3). */
const nilUuid = '00000000-0000-0000-0000-000000000000';

const traced = Symbol('span of the request');

declare module 'fastify' {
  interface FastifyRequest {
    [traced]: Span | undefined;
  }
}

/** Returns the span of the request, if it is traced. */
export function findRequestSpan(request: FastifyRequest): Span | undefined {
  return request[traced];
}

/** Returns the facts that are known when a request is over. */
export type RequestFacts = (
  request: FastifyRequest,
  reply: FastifyReply,
) => { readonly attributes: SpanAttributes; readonly isFailure: boolean };

/** Traces requests. Requests that were rejected earlier, for their rate or path, are not traced. */
export function addRequestTraces(app: FastifyInstance, tracer: Tracer, factsOf: RequestFacts): void {
  app.decorateRequest(traced, undefined);
  if (!tracer.isOn) return;
  app.addHook('onRequest', (request, reply, done) => {
    const span = start(tracer, request);
    request[traced] = span;
    if (span !== undefined)
      whenOver(request, reply.raw, () => {
        const { attributes, isFailure } = factsOf(request, reply);
        span.set(attributes);
        span.end(isFailure ? {} : undefined);
      });
    tracer.within(span, done);
  });
  // A body arrives in the context of its connection, and a request that waited may continue in the context of another
  // request.
  app.addHook('preHandler', (request, _reply, done) => tracer.within(request[traced], done));
}

/**
 * Starts a span. If the caller sends no trace, the id in BT-TRACE-ID becomes the id of the trace if it is a UUID, like
 * the ids that the vault creates. Any other text in that header belongs to the caller and is not exported.
 */
function start(tracer: Tracer, request: FastifyRequest): Span | undefined {
  const { id } = request;
  const isId = isUuid(id) && id !== nilUuid;
  return tracer.start({
    kind: 'request',
    describe: () => describe(request, isId ? id : undefined),
    parent: parseTraceParent(request.headers['traceparent']),
    id: isId ? id : undefined,
  });
}

function describe(
  { method, routeOptions }: FastifyRequest,
  id: string | undefined,
): ReturnType<TraceStart['describe']> {
  const route = toTemplate(routeOptions.url ?? '');
  const attributes = { 'http.request.method': method, 'http.route': route };
  return {
    name: `${method} ${route}`,
    attributes: id === undefined ? attributes : { ...attributes, 'strongroom.trace_id': id },
  };
}
