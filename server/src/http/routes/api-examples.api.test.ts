import type { RouteOptions } from 'fastify';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiResource, listResources } from '../../../test/harness/api-resources.ts';
import { untilTrue } from '../../../test/harness/deadline.ts';
import { Bindings } from '../../../test/harness/examples/example-match.ts';
import {
  addErasure,
  deleteUnnoticed,
  demandApprovals,
  ExampleWorld,
  finishErasure,
  holdAll,
} from '../../../test/harness/examples/example-world.ts';
import { type OperationName, ShownExamples } from '../../../test/harness/examples/shown-examples.ts';
import { makeKey } from '../../../test/harness/permission-matrix.ts';
import { loopback, ProxyVault } from '../../../test/harness/proxy-vault.ts';
import { requestHead, sendRaw } from '../../../test/harness/raw-http.ts';
import { sealAll, signerOf } from '../../../test/harness/sealed-log.ts';
import { tapApi } from '../../../test/harness/route-tap.ts';
import type { TestResponse, TestRequest, TestVault } from '../../../test/harness/test-vault.ts';
import type { Behaviour } from '../../../test/harness/tls-destination.ts';
import { exampleIds } from './example-values.ts';
import type { VaultServer } from '../../app/serve/vault-server.ts';
import type { Permission } from '../../core/access/permission.ts';
import { recordOf } from '../../core/objects/keys-of.ts';
import { tokenLimits } from '../../core/token-limits.ts';
import { generateApiKey } from '../../platform/keyring/sign-in/api-key.ts';
import { type RateLimitTable, rateLimitScopes, withLimits } from '../../platform/rate-limit/rate-limit-table.ts';
import type { ApiExample } from './api-examples.ts';
import { isRepeatable } from '../requests/idempotency.ts';
import { permissionsNeeded } from './route-config.ts';
import { toTemplate } from './route-template.ts';

// Every example of the reference is sent to a vault, and every status that an operation lists is produced. The served
// description is what gets checked. The tables beside the routes only say what to send.

interface Operation extends OperationName {
  readonly mediaType: string;
  readonly hasJsonBody: boolean;
  readonly examples: readonly ApiExample[];
  readonly permissions: readonly Permission[];
  readonly isRepeatable: boolean;
}

let proxy: ProxyVault;
let vault: TestVault;
let strict: VaultServer;
let shown: ShownExamples;
let operations: Operation[];
let resources: readonly ApiResource[];
let lateResponse: Promise<TestResponse>;
beforeAll(async () => {
  const tapped = await tapApi(() => ProxyVault.start({ behaviour: provide, limits: { callMs: 3_000 } }));
  proxy = tapped.started;
  ({ vault } = proxy);
  // The server takes seconds to reject this request. Everything else is sent in the meantime.
  lateResponse = sendBytes('GET /roles HTTP/1.1\r\nhost: x\r\n');
  proxy.resolver.set('intranet.provider.example', ['10.0.0.8']);
  strict = await vault.startAnother({ table: createStrictTable(), trustedProxies: [loopback] });
  shown = new ShownExamples((await vault.request('GET', '/openapi.json')).body);
  operations = tapped.routes.map(toOperation);
  resources = listResources(tapped.routes);
});
afterAll(() => proxy.stop());

describe('the vault responds as its description shows', () => {
  it('to the examples of every operation', async () => {
    const examine = async (operation: Operation) => {
      const world = await createWorld(operation);
      const found: string[] = [];
      for (const example of operation.examples.filter(({ given }) => given !== 'deleted-tenant')) {
        if (example.given === 'sealed-log') await sealAll(vault.database, signerOf(vault.server));
        const isApart = ['approvals', 'legal-hold', 'erased'].includes(example.given ?? '');
        const own = isApart ? await createWorld(operation) : world;
        if (example.given === 'approvals') await demandApprovals(vault, own);
        if (example.given === 'legal-hold') await holdAll(vault, own);
        if (example.given === 'erased') await finishErasure(vault, own);
        const answer = await own.send(operation, example.request ?? {}, keyFor(own, operation, example));
        if (answer.status !== example.status) found.push(`${example.summary}: ${answer.status}`);
        found.push(...shown.compare(operation, answer, own.bindings, example.summary));
      }
      return found;
    };
    // These run one at a time, because sealing would include the records of examples that are still being set up.
    const sealing = operations.filter(({ examples }) =>
      examples.some(({ given }) => given === 'sealed-log' || given === 'erased'),
    );
    const wrong = await findDifferences(
      operations.filter((operation) => !sealing.includes(operation)),
      examine,
    );
    for (const operation of sealing) wrong.push(...(await findDifferences([operation], examine)));
    expect(wrong).toEqual([]);
  });

  it('to a request without a valid key', async () => {
    const wrong = await findDifferences(operations, async (operation) => [
      ...compare(operation, await send(operation), 401),
      ...compare(operation, await send(operation, { key: 'nobody' }), 401),
    ]);
    expect(wrong).toEqual([]);
  });

  it('to a key of another cell', async () => {
    const { text } = generateApiKey('test', 'pvt', 'us1');
    const wrong = await findDifferences(operations, async (operation) =>
      compare(operation, await send(operation, { key: text }), 421),
    );
    expect(wrong).toEqual([]);
  });

  it('to a key without one of the permissions that an operation names', async () => {
    const { tenant, keys } = await ExampleWorld.create(proxy);
    const made = new Map<Permission, Promise<string>>();
    const makeOnce = (permission: Permission) => {
      const key = made.get(permission) ?? makeKey(vault, tenant, permission, 'missing');
      made.set(permission, key);
      return key;
    };
    const wrong = await findDifferences(operations, async (operation) => {
      const refused = await Promise.all(operation.permissions.map(makeOnce));
      const answers = (refused.length === 0 ? [keys.session] : refused).map((key) => send(operation, { key }));
      return (await Promise.all(answers)).flatMap((answer) => compare(operation, answer, 403));
    });
    expect(wrong).toEqual([]);
  });

  it('to a body that is too large, of no known type, or not JSON', async () => {
    const { tenant } = await ExampleWorld.create(proxy);
    const large = new Uint8Array(tokenLimits.sizeBytesMax + 1);
    const wrong = await findDifferences(
      operations.filter(({ method }) => method !== 'GET'),
      async (operation) => {
        const key = tenant.keys[isAboutTokens(operation) ? 'private' : 'management'];
        const headers = { 'content-type': operation.mediaType };
        const untyped = { 'content-type': 'nonsense' };
        return [
          ...compare(operation, await send(operation, { key, rawBody: large }), 413),
          ...(hasOwn(operation, 415)
            ? []
            : compare(operation, await send(operation, { key, rawBody: '{}', headers: untyped }), 415)),
          ...(operation.hasJsonBody
            ? compare(operation, await send(operation, { key, rawBody: 'nonsense', headers }), 400)
            : []),
        ];
      },
    );
    expect(wrong).toEqual([]);
  });

  it('to a repeated request whose first has not ended, or has left no result', async () => {
    const wrong = await findDifferences(
      operations.filter((operation) => operation.isRepeatable),
      async (operation) => {
        const world = await createWorld(operation);
        const example = firstSuccess(operation);
        const headers = { ...example.request?.headers, 'bt-idempotency-key': 'the-same' };
        const repeat = () => world.send(operation, { ...example.request, headers }, keyFor(world, operation, example));
        const found = shown.compare(operation, await repeat(), world.bindings, example.summary);
        for (const isAnswered of [false, true]) {
          await vault.database.owner.query(
            'update idempotency_results set sealed = null, is_answered = $2 where tenant_id = $1',
            [world.tenant.id, isAnswered],
          );
          found.push(...compare(operation, await repeat(), 409));
        }
        return found;
      },
    );
    expect(wrong).toEqual([]);
  });

  it('to a client that asks too often, by the limit that an operation names', async () => {
    const wrong = await findDifferences(operations, async (operation, index) => {
      const headers = { 'x-forwarded-for': `198.51.100.${index}` };
      const answers = [1, 2, 3].map(() => send(operation, { headers, url: strict.url }));
      const refused = (await Promise.all(answers)).find(({ status }) => status === 429);
      if (refused === undefined) return ['is not limited'];
      const [, scope] = /^"([a-z-]+)";/.exec(refused.headers.get('ratelimit-policy') ?? '') ?? [];
      const named = shown.textOf(operation).includes(`**Rate limit:** \`${scope}\``);
      return [...compare(operation, refused, 429), ...(named ? [] : [`counts as ${scope}`])];
    });
    expect(wrong).toEqual([]);
  });

  it('to a key of a tenant that has just been deleted', async () => {
    const unnamed = operations.filter(({ template }) => !/[{]|\/proxy/.test(template));
    const wrong = await findDifferences(unnamed, async (operation) => {
      const world = await ExampleWorld.create(proxy);
      await deleteUnnoticed(vault, world);
      const example = operation.examples.find(({ given }) => given === 'deleted-tenant') ?? firstSuccess(operation);
      const answer = await world.send(operation, example.request ?? {}, keyFor(world, operation, example));
      if (!shown.isDescribed(operation, answer.status)) return [`${answer.status} is not described`];
      const isOwn = hasOwn(operation, 404) && example.given === undefined;
      return answer.status === 404 && !isOwn ? compare(operation, answer, 404) : [];
    });
    expect(wrong).toEqual([]);
  });

  it('to what is not a request, or never becomes one', async () => {
    const [operation] = operations.filter(({ template }) => template === '/roles');
    if (operation === undefined) throw new Error('There is no /roles.');
    expect(compare(operation, await sendBytes('nonsense\r\n\r\n'), 400)).toEqual([]);
    const heavy = requestHead('GET /roles', { 'x-long': 'x'.repeat(20_000) });
    expect(compare(operation, await sendBytes(heavy), 431)).toEqual([]);
    expect(compare(operation, await lateResponse, 408)).toEqual([]);
  });

  it('when it fails, and when its database does not respond', async () => {
    const { tenant } = await ExampleWorld.create(proxy);
    const asked = ['/applications', '/proxy'].map((template) => getOperation('GET', template));
    const ask = (operation: Operation) =>
      send(operation, {
        key: tenant.keys[isAboutTokens(operation) ? 'private' : 'management'],
        headers: { 'bt-proxy-url': proxy.url },
      });
    const client = await vault.database.owner.connect();
    const run = async (statements: readonly string[]) => {
      for (const statement of statements) await client.query(statement);
    };
    const tables = ['applications', 'proxy_calls'];
    await run(tables.map((table) => `alter table ${table} rename to ${table}_gone`));
    const failed = await findDifferences(asked, async (one) => compare(one, await ask(one), 500));
    await run(tables.map((table) => `alter table ${table}_gone rename to ${table}`));
    await run(['begin', ...tables.map((table) => `lock table ${table} in access exclusive mode`)]);
    const lost = findDifferences(asked, async (one) => compare(one, await ask(one), 503));
    await untilTrue(async () => (await cutWaiting(client)) === asked.length, {
      waitingFor: 'both to wait for the lock',
    });
    const waited = await lost;
    await run(['rollback']);
    client.release();
    expect([...failed, ...waited]).toEqual([]);
  });

  it('in every example that it shows, and with every status that it names', () => {
    expect(operations.flatMap((operation) => shown.listUnseen(operation))).toEqual([]);
  });
});

/** Creates strict limits. Their windows are so long that requests of a slow machine still fall into one. */
function createStrictTable(): RateLimitTable {
  const table = withLimits({ ...Object.fromEntries(rateLimitScopes.map((scope) => [scope, 1])), global: 2 });
  return recordOf(rateLimitScopes, (scope) => ({ ...table[scope], windowMs: 3_600_000 }));
}

function toOperation({ method, url, config, schema }: RouteOptions): Operation {
  return {
    method: String(method),
    template: toTemplate(url),
    mediaType: config?.mediaTypes?.[0] ?? 'application/json',
    hasJsonBody: schema?.body !== undefined,
    examples: config?.examples ?? [],
    permissions: permissionsNeeded(config),
    isRepeatable: isRepeatable(config, method),
  };
}

/** Creates a world with the resources that the examples of an operation mention. */
async function createWorld({ examples }: Operation): Promise<ExampleWorld> {
  const text = JSON.stringify(examples);
  const world = await ExampleWorld.create(
    proxy,
    resources.filter(({ exampleId }) => exampleId !== undefined && text.includes(exampleId)),
  );
  if (text.includes(exampleIds.erasure)) await addErasure(vault, world);
  return world;
}

function getOperation(method: string, template: string): Operation {
  const found = operations.find((one) => one.method === method && one.template === template);
  if (found === undefined) throw new Error(`There is no ${method} ${template}.`);
  return found;
}

/** Examines several operations at a time, because most of the time is spent waiting. */
async function findDifferences(
  some: readonly Operation[],
  examine: (operation: Operation, index: number) => Promise<string[]>,
): Promise<string[]> {
  const found: string[] = [];
  const waiting = some.entries();
  const work = async () => {
    for (const [index, operation] of waiting) {
      const differences = await examine(operation, index);
      found.push(...differences.map((difference) => `${operation.method} ${operation.template}: ${difference}`));
    }
  };
  await Promise.all(Array.from({ length: 10 }, work));
  return found;
}

/** Sends a request with placeholder values, which gets no further than the edge. */
function send({ method, template }: Operation, request: TestRequest = {}): Promise<TestResponse> {
  return vault.request(method, template.replaceAll(/\{\w+\}/g, 'none'), request);
}

function compare(operation: Operation, answer: TestResponse, status: number): string[] {
  if (answer.status !== status) return [`${answer.status} instead of ${status}: ${answer.text}`];
  return shown.compare(operation, answer, new Bindings([]));
}

async function sendBytes(bytes: string): Promise<TestResponse> {
  const { status, headers, body } = await sendRaw(vault.server.url, bytes);
  return { status, headers: new Headers(headers), text: body, body: JSON.parse(body) };
}

function isAboutTokens({ permissions }: Operation): boolean {
  return permissions[0]?.startsWith('token') === true;
}

function hasOwn({ examples }: Operation, status: number): boolean {
  return examples.some((example) => example.status === status);
}

function keyFor({ keys }: ExampleWorld, operation: Operation, { key }: ApiExample): string {
  return keys[key ?? (isAboutTokens(operation) ? 'private' : 'management')];
}

function firstSuccess({ method, template, examples }: Operation): ApiExample {
  const found = examples.find(({ status }) => status < 300);
  if (found === undefined) throw new Error(`${method} ${template} has no example of a success.`);
  return found;
}

/**
 * Terminates the connections that are waiting for a lock, if there are as many as expected. Returns how many there
 * were.
 */
async function cutWaiting(client: pg.PoolClient): Promise<number> {
  const waiting = `from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  const { rowCount } = await client.query(`select pid ${waiting}`);
  if (rowCount === 2) await client.query(`select pg_terminate_backend(pid) ${waiting}`);
  return rowCount ?? 0;
}

/** The destination of the proxy's examples. */
const provide: Behaviour = (socket, { head }) => {
  const [, path = ''] = head.split(' ');
  const respond = (status: string, body: string) =>
    socket.end(`HTTP/1.1 ${status}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
  if (path.startsWith('/v1/charges')) respond('200 OK', '{"id":"ch_81","status":"succeeded"}');
  if (path.startsWith('/v1/declined')) respond('402 Payment Required', '{"error":"card_declined"}');
  if (path.startsWith('/v1/broken')) socket.destroy();
};
