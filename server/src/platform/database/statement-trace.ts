import type { SpanAttributes } from '../telemetry/span-attributes.ts';
import { endWith, type Tracer } from '../telemetry/tracer.ts';

/** The name that it is prepared under: never its text. */
export function toStatementAttributes({ name }: { readonly name?: string }): SpanAttributes {
  return name === undefined ? {} : { 'strongroom.statement': name };
}

/**
 * Shows a statement and its commit, which were sent together. PostgreSQL does one after the other, so the time of the commit
 * counts from the answer to the statement.
 */
export function traceInOrder(
  tracer: Tracer,
  statement: { readonly name?: string },
  { answering, committing }: { readonly answering: Promise<unknown>; readonly committing: Promise<unknown> },
): void {
  const span = tracer.begin('statement', toStatementAttributes(statement));
  if (span === undefined) return;
  endWith(span, answering)
    .then(() => endWith(tracer.begin('commit'), committing))
    // Whoever waits for the statement hears of it.
    .catch(() => undefined);
}
