import {
  fullWeight,
  patch,
  post,
  times,
  tokenListShapes,
  tokenOf,
  valueShapes,
  type Weight,
} from '../harness/heavy-requests.ts';
import type { MeasuredRequest } from '../harness/measured-vault.ts';
import { RequestMaker } from '../fuzz/request-maker.ts';
import { SeededRandom } from '../../src/core/random/seeded-random.ts';
import { drawFilters, drawQuery } from './hostile-queries.ts';
import { drawRightsRequest } from './hostile-rights.ts';
import { type CallerKind, callerKinds, type Surroundings } from './surroundings.ts';

/** The parts from which a request is built, so that it can be varied and built again. */
export interface HeavyPlan {
  /** `api` is an unchanged request from the description. `inflated` has a heavy value somewhere in its body. */
  readonly kind: (typeof kinds)[number];
  readonly seed: number;
  readonly key: CallerKind;
  readonly value: keyof typeof valueShapes;
  readonly list: keyof typeof tokenListShapes;
  readonly weight: Weight;
}

const kinds = [
  'api',
  'inflated',
  'value',
  'patch',
  'list',
  'references',
  'page',
  'search',
  'filters',
  'rights',
] as const;
/** Kinds of requests that normally take little time. */
const lightKinds = ['api', 'api', 'search', 'search', 'filters', 'rights'] as const;
const oftenKinds = [...kinds, ...lightKinds, ...lightKinds, 'inflated'] as const;
const values = Object.keys(valueShapes) as (keyof typeof valueShapes)[];
const lists = Object.keys(tokenListShapes) as (keyof typeof tokenListShapes)[];
const bytesMax = 1_000_000;
const base = { seed: 1, key: 'reveal', value: 'a wide object', list: 'bare strings', weight: fullWeight } as const;
const readings = 6;
/** The number of plans in `listWorst` that merge every value into a token and read what is stored. */
export const mergedAndReadCount = values.length + 2 * readings;

export function drawPlan(random: SeededRandom, isLight = false): HeavyPlan {
  return {
    kind: random.pick(isLight ? lightKinds : oftenKinds),
    seed: random.below(2 ** 31),
    key: random.pick(callerKinds),
    value: random.pick(values),
    list: random.pick(lists),
    weight: {
      bytes: Math.floor(bytesMax * random.pick([0.01, 0.1, 0.5, 1])),
      tokens: random.pick([10, 100, 500, 1_000]),
      parts: random.pick([1, 10, 20, 50]),
      depth: random.pick([1, 10, 30, 60]),
    },
  };
}

/** Returns a neighbour of a plan, with one or two traits changed. */
export function mutate(plan: HeavyPlan, random: SeededRandom): HeavyPlan {
  const other = drawPlan(random);
  const scaled = (number: number, max: number) =>
    Math.max(1, Math.min(max, Math.round(number * (0.5 + random.next() * 1.5))));
  const changes: readonly (() => Partial<HeavyPlan>)[] = [
    () => ({ value: other.value }),
    () => ({ list: other.list }),
    () => ({ seed: other.seed }),
    () => ({ key: other.key }),
    () => ({ weight: { ...plan.weight, bytes: scaled(plan.weight.bytes, bytesMax) } }),
    () => ({ weight: { ...plan.weight, tokens: scaled(plan.weight.tokens, 1_000) } }),
    () => ({ weight: { ...plan.weight, parts: scaled(plan.weight.parts, 50) } }),
    () => ({ weight: { ...plan.weight, depth: scaled(plan.weight.depth, 60) } }),
  ];
  const changed = { ...plan, ...random.pick(changes)() };
  return random.chance(0.3) ? { ...changed, ...random.pick(changes)() } : changed;
}

/** Returns a light request to each operation of the API. */
export function listEachOperation({ operations }: Surroundings): HeavyPlan[] {
  return operations.map((_, seed) => ({ ...base, kind: 'api', seed }));
}

/** Returns every known shape at its maximum weight: first merged and read, then as lists and through other routes. */
export function listWorst(): HeavyPlan[] {
  return [
    ...values.map((value) => ({ ...base, kind: 'patch', value }) as const),
    ...times(readings, (seed) => ({ ...base, kind: 'references', seed }) as const),
    ...times(readings, (seed) => ({ ...base, kind: 'page', seed }) as const),
    ...lists.map((list) => ({ ...base, kind: 'list', list }) as const),
    ...callerKinds.flatMap((key) => [
      { ...base, key, kind: 'list', list: 'many containers' } as const,
      ...times(readings, (seed) => ({ ...base, key, kind: 'page', seed }) as const),
    ]),
    ...values.flatMap((value) => (['value', 'inflated'] as const).map((kind) => ({ ...base, kind, value }))),
  ];
}

/**
 * Returns the request of a plan. It is never longer than a megabyte, because a heavier plan is reduced until it fits.
 */
export function toRequest(plan: HeavyPlan, around: Surroundings): MeasuredRequest {
  const request = build(plan, around);
  const length = Buffer.byteLength(request.body ?? '');
  if (length <= bytesMax || plan.weight.tokens <= 1) return request;
  const factor = (0.95 * bytesMax) / length;
  const { bytes, tokens } = plan.weight;
  const weight = { ...plan.weight, bytes: Math.floor(bytes * factor), tokens: Math.floor(tokens * factor) };
  return toRequest({ ...plan, weight }, around);
}

/** Returns the family of a plan. Plans of a family differ only in weight, key and seed. */
export function familyOf({ kind, value, list }: HeavyPlan): string {
  return `${kind} ${kind === 'list' ? list : value}`;
}

export function describePlan(plan: HeavyPlan, { method, path, body }: MeasuredRequest): string {
  const what = {
    api: '',
    page: '',
    references: '',
    search: '',
    filters: '',
    rights: '',
    inflated: plan.value,
    value: plan.value,
    patch: plan.value,
    list: plan.list,
  };
  const text = plan.kind === 'search' ? String(body).slice(0, 100) : what[plan.kind];
  return `${method} ${path.slice(0, 60)} (${plan.key} key, ${Buffer.byteLength(body ?? '')} bytes) ${plan.kind} ${text}`;
}

function build(plan: HeavyPlan, around: Surroundings): MeasuredRequest {
  const random = new SeededRandom(plan.seed);
  const key = around.keys[plan.key];
  const tokenId = random.pick(around.tokenIds);
  const text = () => valueShapes[plan.value](plan.weight);
  switch (plan.kind) {
    case 'value':
      return post('/tokens', key, tokenOf(text(), random.chance(0.3) ? { mask: "{{ data | json: '$.k1' }}" } : {}));
    case 'patch':
      return patch(tokenId, key, random.chance(0.8) ? `{"data":{"more":${text()}}}` : `{"mask":${text()}}`);
    case 'list':
      return post('/tokenize', key, tokenListShapes[plan.list](plan.weight));
    case 'references': {
      const reference = random.pick([
        `{{ ${tokenId} }}`,
        `{{ token: ${tokenId} }}`,
        `{{ ${tokenId} | stringify }}`,
        `{{ ${tokenId} | card_mask }}`,
      ]);
      const references = times(plan.weight.tokens, () => reference);
      return post('/detokenize', key, random.chance(0.5) ? references : [references.join('')]);
    }
    case 'page':
      return random.chance(0.5)
        ? { method: 'GET', path: random.pick(['/tokens?size=100', '/v2/tokens?size=100', '/logs?size=100']), key }
        : post(random.pick(['/tokens/search', '/v2/tokens/search']), key, { query: 'type:token', size: 100 });
    case 'search':
      return post(random.pick(['/tokens/search', '/v2/tokens/search']), key, {
        query: drawQuery(random),
        size: random.pick([1, 20, 100]),
      });
    case 'filters':
      return { method: 'GET', path: `${random.pick(['/tokens', '/v2/tokens'])}?${drawFilters(random)}`, key };
    case 'rights':
      return drawRightsRequest(random, { keys: around.keys, applicationId: around.applicationId, tokenId });
    case 'api':
    case 'inflated':
      return fromDescription(plan, random, around, key);
  }
}

/** Returns a request that the description allows or nearly allows. If inflated, one of its members is a heavy value. */
function fromDescription(plan: HeavyPlan, random: SeededRandom, around: Surroundings, key: string): MeasuredRequest {
  // Neighbouring seeds use different operations, so that a few plans cover all of them.
  const operation = around.operations[plan.seed % around.operations.length];
  if (operation === undefined) throw new Error('The API has no operations.');
  const ids = operation.path.startsWith('/applications') ? [around.applicationId] : [...around.tokenIds];
  const made = new RequestMaker(random, [operation], { keys: around.keys, ids }).next();
  const { method, mediaType } = operation;
  const isLast = method === 'DELETE' && operation.path === '/tenants/self';
  if (isLast) return { method, path: made.path, key: '' };
  // The maker usually chooses a key with the permission. The other keys have rules that must be searched.
  const headers = { ...made.headers, ...(random.chance(0.5) ? { 'bt-api-key': key } : {}) };
  if (plan.kind === 'api' || made.body === undefined || method === 'GET' || method === 'DELETE') {
    return { method, path: made.path, key, body: made.body, headers };
  }
  const body = inflate(made.body, valueShapes[plan.value](plan.weight), random);
  return { method, path: made.path, key, body, headers: { ...headers, 'content-type': mediaType } };
}

function inflate(body: Buffer | undefined, heavy: string, random: SeededRandom): string {
  const parsed = parseObject(body);
  const names = [...Object.keys(parsed), ...'metadata rules permissions settings mask data name query'.split(' ')];
  const placeholder = crypto.randomUUID();
  return JSON.stringify({ ...parsed, [random.pick(names)]: placeholder }).replace(`"${placeholder}"`, () => heavy);
}

function parseObject(body: Buffer | undefined): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(body?.toString('utf8') ?? '{}');
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : {};
  } catch {
    return {};
  }
}
