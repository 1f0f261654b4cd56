import type { FastifyRequest } from 'fastify';
import { isRepeatable } from '../requests/idempotency.ts';
import { mayHaveTakenEffect } from '../connections/time-limit.ts';

/** Describes what a client needs to know before it retries a request that could not be handled. */
export function describeEffect(request: FastifyRequest): string {
  if (!mayHaveTakenEffect(request)) return 'Nothing was changed.';
  return isRepeatable(request.routeOptions.config, request.method)
    ? 'The request may have taken effect. Retry with the same BT-IDEMPOTENCY-KEY, or check first if you sent none.'
    : 'The request may have taken effect. Check before you retry.';
}
