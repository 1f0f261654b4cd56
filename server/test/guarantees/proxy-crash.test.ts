import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { abandonedCallsJob } from '../../src/features/proxy/index.ts';
import { generateRootKey } from '../../src/platform/keyring/kms/file/file-root-key.ts';
import { untilTrue } from '../harness/deadline.ts';
import { destinationHost } from '../harness/proxy-vault.ts';
import { Program } from '../harness/program.ts';
import { TestAuthority } from '../harness/test-authority.ts';
import { createTestDatabase, type TestDatabase } from '../harness/test-database.ts';
import { TestResolver } from '../harness/test-resolver.ts';
import { TlsDestination } from '../harness/tls-destination.ts';

let database: TestDatabase;
let authority: TestAuthority;
let resolver: TestResolver;
let destination: TlsDestination;
let environment: Record<string, string>;
beforeAll(async () => {
  [database, authority, resolver] = await Promise.all([
    createTestDatabase(),
    TestAuthority.create(),
    TestResolver.start(),
  ]);
  resolver.set(destinationHost, ['127.0.0.1']);
  // The destination accepts the request and never responds. A server that crashes now has already sent the card.
  destination = await TlsDestination.start(await authority.issue([destinationHost]), () => undefined);
  environment = {
    STRONGROOM_DATABASE_URL: database.url,
    STRONGROOM_ROOT_KEY: generateRootKey(),
    STRONGROOM_PUBLIC_URL: 'http://localhost',
    STRONGROOM_HOST: '127.0.0.1',
    STRONGROOM_PORT: '0',
    STRONGROOM_ADMIN_PORT: '0',
    STRONGROOM_PROXY_CA: authority.certificate,
    STRONGROOM_PROXY_PRIVATE_RANGES: '127.0.0.0/8',
    STRONGROOM_PROXY_PORTS: String(destination.port),
    STRONGROOM_PROXY_RESOLVERS: resolver.address,
  };
});
afterEach(() => Program.killAll());
afterAll(async () => {
  await Promise.all([destination.stop(), resolver.stop(), authority.remove()]);
  await database.drop();
});

async function records() {
  const { rows } = await database.owner.query<Record<string, unknown>>(
    `select outcome, operation, entity_id, actor_type, destination from audit_records
      where entity_type = 'proxy' order by created_at, outcome`,
  );
  return rows;
}

async function post(url: string, key: string, body: unknown, headers = {}): Promise<Record<string, string>> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'bt-api-key': key, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  return (await answer.json()) as Record<string, string>;
}

describe('a server that dies between the intent and the outcome', () => {
  it('leaves the intent, and the job marks the call as unknown, once', async () => {
    const made = await Program.run(['bootstrap', '--name', 'Acme', '--json'], environment);
    const { keys } = JSON.parse(made.stdout) as { keys: { management: string } };
    const program = Program.start(['serve', '--json'], environment);
    const { url } = await program.ready<{ url: string }>();
    const application = { name: 'x', type: 'private', permissions: ['token:create', 'token:use'] };
    const { key = '' } = await post(`${url}/applications`, keys.management, application);
    const { id } = await post(`${url}/tokens`, key, { type: 'token', data: '4242424242424242' });

    const proxyUrl = `https://${destinationHost}:${destination.port}`;
    const call = post(`${url}/proxy`, key, { number: `{{ ${id} }}` }, { 'bt-proxy-url': proxyUrl });
    const ending = expect(call).rejects.toThrow('fetch failed');
    await untilTrue(() => destination.seen.length === 1, { waitingFor: 'the request' });
    expect(destination.last.body.toString()).toBe('{"number":"4242424242424242"}');
    await program.stop('SIGKILL');
    await ending;

    const intent = { outcome: 'intent', operation: 'invoke', destination: destinationHost, actor_type: 'application' };
    expect(await records()).toMatchObject([intent]);

    const job = abandonedCallsJob(database.open());
    await job.run({});
    expect(await records()).toHaveLength(1);
    await database.owner.query(`update proxy_calls set started_at = started_at - interval '6 minutes'`);
    await Promise.all([job.run({}), job.run({})]);
    await job.run({});
    const all = await records();
    const entity_id = all[0]?.['entity_id'];
    expect(all).toMatchObject([intent, { ...intent, outcome: 'unknown', actor_type: 'system', entity_id }]);
    const { rows: open } = await database.owner.query('select from proxy_calls');
    expect(open).toEqual([]);
    // Each use of the token is recorded too.
    const { rows: uses } = await database.owner.query(
      `select destination from audit_records where entity_id = $1 and operation = 'read'`,
      [id],
    );
    expect(uses).toEqual([{ destination: destinationHost }]);
  });
});
