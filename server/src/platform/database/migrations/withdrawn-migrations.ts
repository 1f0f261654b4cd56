import { OperatorError } from '../../../core/errors/operator-error.ts';

/**
 * Checksums of migration 36 in unreleased versions. Those versions stored tokens in several databases, and every
 * database that they migrated has one of these checksums (docs/adr/0040-tokens-in-one-database.md).
 */
const withdrawn: ReadonlySet<string> = new Set([
  '82e62bd5abc7a02680b2f8f2b9ba4502a2f325c7dc928289f1ad32e3f8003586',
  'c6eb1380fde49b221b954d09fdda38b90685bae7e1fb00a648a1a355234f8c99',
]);

/** Throws if an unreleased version has changed the schema in a way that no released version supports. */
export function requireNoWithdrawn(done: readonly { readonly checksum: string }[]): void {
  if (!done.some(({ checksum }) => withdrawn.has(checksum))) return;
  throw new OperatorError(
    'The database was migrated by an unreleased version of Strongroom that could spread tokens over several databases. Export the tokens with that version and import them into a new vault, or start with an empty database.',
  );
}
