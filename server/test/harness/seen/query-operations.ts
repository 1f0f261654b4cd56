import type { TestResponse } from '../test-vault.ts';
import { type ExpectedRecord, record } from './expected-record.ts';
import { containers } from './random-rights.ts';
import { refusalRecords, type SeenWorld } from './seen-world.ts';
import { shown } from './token-operations.ts';
import type { ShownToken } from './shown-view.ts';

interface Page {
  readonly pagination: { readonly total_items?: number; readonly next?: string };
  readonly data: readonly ShownToken[];
}

interface Question {
  readonly fields: string[];
  /** The number of values that the query tries. */
  readonly values: number;
  readonly filters: string[];
  readonly query: string;
}

/** Returns a random query as a list filter and as a search, with the fields that it uses. */
function randomQuestion(world: SeenWorld): Question {
  const { random } = world;
  const asked = random.some<{ field: string; filter: string; term: string; values: number }>(
    [
      { field: 'type', filter: 'type=card', term: 'type:card', values: 0 },
      {
        field: 'container',
        filter: `container=${random.pick(containers)}`,
        term: `container:${random.pick(containers)}`,
        values: 0,
      },
      { field: 'metadata', filter: 'metadata.order=1', term: 'metadata.order:1', values: 1 },
      { field: 'id', ...guessIds(world) },
    ],
    0.25,
  );
  return {
    fields: asked.map(({ field }) => field).sort(),
    values: Math.max(0, ...asked.map(({ values }) => values)),
    filters: asked.map(({ filter }) => filter),
    query: asked.map(({ term }) => term).join(' AND '),
  };
}

/** Returns two ids, one of which may exist. */
function guessIds({ random, tokens }: SeenWorld): { filter: string; term: string; values: number } {
  const known = [...tokens.keys()].filter((id) => /^[0-9a-f-]{36}$/.test(id));
  const ids = [random.uuid(), known.length > 0 && random.chance(0.5) ? random.pick(known) : random.uuid()];
  return {
    filter: ids.map((id) => `id=${id}`).join('&'),
    term: `(${ids.map((id) => `id:${id}`).join(' OR ')})`,
    values: ids.length,
  };
}

export async function listTokens(world: SeenWorld): Promise<void> {
  const { random } = world;
  const { fields, values, filters } = randomQuestion(world);
  const isCursor = random.chance(0.5);
  const path = isCursor ? '/v2/tokens' : '/tokens';
  const size = 1 + random.below(20);
  const page = isCursor ? [] : [`page=${1 + random.below(3)}`];
  const query = [...filters, ...page, `size=${size}`].join('&');
  const caller = world.anyCaller();
  const first = await world.exchange(caller, ['GET', path, `${path}?${query}`], {}, (got) =>
    expectPage(got, { fields, values, operation: 'read', isFirst: true }),
  );
  const next = first.status === 200 ? (first.body as Page).pagination.next : undefined;
  if (!isCursor || next === undefined || next === null) return;
  const start = [...filters, `size=${size}`, `start=${encodeURIComponent(next)}`].join('&');
  await world.exchange(caller, ['GET', path, `${path}?${start}`], {}, (got) =>
    expectPage(got, { fields, values, operation: 'read', isFirst: false }),
  );
}

export async function searchTokens(world: SeenWorld): Promise<void> {
  const { random } = world;
  const question = randomQuestion(world);
  const isGuess = random.chance(0.5);
  const guess = `data:"plain-${random.below(60)}"`;
  const query = isGuess ? [guess, question.query].filter((term) => term !== '').join(' AND ') : question.query;
  const fields = isGuess ? ['data', ...question.fields].sort() : question.fields;
  const values = Math.max(isGuess ? 1 : 0, question.values);
  const path = random.chance(0.5) ? '/v2/tokens/search' : '/tokens/search';
  await world.exchange(
    world.anyCaller(),
    ['POST', path, path],
    { body: { query, size: 1 + random.below(20) } },
    (got) => expectPage(got, { fields, values, operation: 'search', isFirst: true }),
  );
}

/** Returns the expected records: the query, and each token that it has shown. */
function expectPage(
  got: TestResponse,
  {
    fields,
    values,
    operation,
    isFirst,
  }: { fields: readonly string[]; values: number; operation: string; isFirst: boolean },
): ExpectedRecord[] {
  if (got.status !== 200) return refusalRecords(got, { entityType: 'token', operation, entityId: '*' });
  const { pagination, data } = got.body as Page;
  const isWhole = data.length === 0 || (isFirst && (pagination.next ?? undefined) === undefined);
  const matched = pagination.total_items ?? (isWhole ? data.length : undefined);
  const isMiss = matched === 0;
  const missing = Math.max(isMiss ? 1 : 0, matched === undefined ? 0 : values - matched);
  const details = {
    ...(fields.length === 0 ? {} : { fields }),
    found: data.length,
    ...(missing > 0 ? { missing } : {}),
  };
  const search = record('token', 'search', '*', { outcome: isMiss ? 'missed' : 'success', details });
  return [search, ...data.map((token) => shown('read', token))];
}
