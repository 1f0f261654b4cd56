import type { SpanAttributes } from '../telemetry/span-attributes.ts';
import { endWith, type Tracer } from '../telemetry/tracer.ts';

/** Returns the name that a statement is prepared under. Traces never contain its text. */
export function toStatementAttributes({ name }: { readonly name?: string }): SpanAttributes {
  return name === undefined ? {} : { 'strongroom.statement': name };
}

/**
 * Traces a statement and its commit, which were sent together. PostgreSQL runs them in order, so the commit is timed
 * from the response to the statement.
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
    // The caller that awaits the statement handles the error.
    .catch(() => undefined);
}
