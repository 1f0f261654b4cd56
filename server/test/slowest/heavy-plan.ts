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
import type { ApiOperation } from '../fuzz/api-operations.ts';
import { RequestMaker } from '../fuzz/request-maker.ts';
import { SeededRandom } from '../../src/core/random/seeded-random.ts';

/** What requests can name: keys of every kind, and tokens that exist. */
export interface Surroundings {
  readonly operations: readonly ApiOperation[];
  readonly keys: Readonly<Record<'private' | 'reveal' | 'public' | 'management', string>>;
  readonly session: string;
  readonly tokenIds: readonly string[];
}

/** A request by what it is made of, so that it can be changed a little and made again. */
export interface HeavyPlan {
  /** `api` is a request from the description as it is; `inflated` has a heavy value somewhere in its body. */
  readonly kind: 'api' | 'inflated' | 'value' | 'patch' | 'list' | 'references' | 'page';
  readonly seed: number;
  readonly key: 'private' | 'reveal' | 'public' | 'management' | 'session';
  readonly value: keyof typeof valueShapes;
  readonly list: keyof typeof tokenListShapes;
  readonly weight: Weight;
}

const kinds = ['api', 'inflated', 'inflated', 'value', 'patch', 'list', 'references', 'page'] as const;
const keyKinds = ['private', 'reveal', 'public', 'management', 'session'] as const;
const values = Object.keys(valueShapes) as (keyof typeof valueShapes)[];
const lists = Object.keys(tokenListShapes) as (keyof typeof tokenListShapes)[];
const bytesMax = 1_000_000;
const readings = 6;
/** So many plans of `listWorst` merge every value into a token and read what is stored. */
export const mergedAndReadCount = values.length + 2 * readings;

export function drawPlan(random: SeededRandom): HeavyPlan {
  return {
    kind: random.pick(kinds),
    seed: random.below(2 ** 31),
    key: random.pick(keyKinds),
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

/** A neighbour of a plan: one or two of its traits are others. */
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

/** Every known shape as heavy as it may be: merged and read first, then as lists and by other routes. */
export function listWorst(): HeavyPlan[] {
  const base = { seed: 1, key: 'reveal', value: 'a wide object', list: 'bare strings', weight: fullWeight } as const;
  return [
    ...values.map((value) => ({ ...base, kind: 'patch', value }) as const),
    ...times(readings, (seed) => ({ ...base, kind: 'references', seed }) as const),
    ...times(readings, (seed) => ({ ...base, kind: 'page', seed }) as const),
    ...lists.map((list) => ({ ...base, kind: 'list', list }) as const),
    ...values.flatMap((value) => (['value', 'inflated'] as const).map((kind) => ({ ...base, kind, value }))),
  ];
}

/** The request of a plan. It is never longer than a megabyte: a heavier plan is made lighter until it fits. */
export function toRequest(plan: HeavyPlan, around: Surroundings): MeasuredRequest {
  const request = build(plan, around);
  const length = Buffer.byteLength(request.body ?? '');
  if (length <= bytesMax || plan.weight.tokens <= 1) return request;
  const factor = (0.95 * bytesMax) / length;
  const { bytes, tokens } = plan.weight;
  const weight = { ...plan.weight, bytes: Math.floor(bytes * factor), tokens: Math.floor(tokens * factor) };
  return toRequest({ ...plan, weight }, around);
}

export function describePlan(plan: HeavyPlan, { method, path, body }: MeasuredRequest): string {
  const what = {
    api: '',
    page: '',
    references: '',
    inflated: plan.value,
    value: plan.value,
    patch: plan.value,
    list: plan.list,
  };
  return `${method} ${path.slice(0, 60)} (${plan.key} key, ${Buffer.byteLength(body ?? '')} bytes) ${plan.kind} ${what[plan.kind]}`;
}

function build(plan: HeavyPlan, around: Surroundings): MeasuredRequest {
  const random = new SeededRandom(plan.seed);
  const key = plan.key === 'session' ? around.session : around.keys[plan.key];
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
    case 'api':
    case 'inflated':
      return fromDescription(plan, random, around, key);
  }
}

/** A request that the description allows, or nearly; inflated, one of its members is a heavy value. */
function fromDescription(plan: HeavyPlan, random: SeededRandom, around: Surroundings, key: string): MeasuredRequest {
  const known = { keys: around.keys, ids: [...around.tokenIds] };
  const made = new RequestMaker(random, around.operations, known).next();
  const { method, mediaType } = made.operation;
  const isLast = method === 'DELETE' && made.operation.path === '/tenants/self';
  const headers = { ...made.headers, 'content-type': mediaType };
  const base = { method, path: made.path, key: isLast ? '' : key };
  if (plan.kind === 'api' || method === 'GET' || method === 'DELETE') {
    return { ...base, body: made.body, headers: isLast ? {} : made.headers };
  }
  const body = inflate(made.body, valueShapes[plan.value](plan.weight), random);
  return { ...base, body, headers };
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
