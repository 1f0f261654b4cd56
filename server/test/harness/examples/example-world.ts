import type { ExampleKey, ExampleRequest } from '../../../src/http/routes/api-examples.ts';
import {
  exampleCard,
  exampleDestination,
  exampleIds,
  exampleRecordTime,
  exampleRootKey,
  exampleSecrets,
} from '../../../src/http/routes/example-values.ts';
import { type ApiResource, createResource } from '../api-resources.ts';
import { TestErasures } from '../erasures.ts';
import { addDelivery } from '../webhook-delivery.ts';
import type { ProxyVault } from '../proxy-vault.ts';
import { createApplication } from '../test-application.ts';
import type { TestResponse, TestTenant, TestVault } from '../test-vault.ts';
import { untilServed } from '../until-served.ts';
import { Bindings } from './example-match.ts';

/** A tenant that contains everything the reference's examples mention. */
export class ExampleWorld {
  readonly tenant: TestTenant;
  readonly keys: Readonly<Record<ExampleKey, string>>;
  /** Maps the values of the examples to those of this tenant. */
  readonly bindings: Bindings;
  readonly #vault: TestVault;

  /** Creates the world, with those resources that the examples of the reference mention and that it lacks. */
  static async create(proxy: ProxyVault, resources: readonly ApiResource[] = []): Promise<ExampleWorld> {
    const { vault } = proxy;
    const tenant = await vault.makeTenant();
    const ask = (path: string, key: string, body?: object) =>
      untilServed(() => vault.request('POST', path, { key, ...(body && { body }) }));
    const store = async (body: object) => {
      const { status, text } = await ask('/tokens', tenant.keys.private, body);
      // If the token already exists, an earlier request stored it but the vault was too busy to confirm it.
      if (![201, 409].includes(status)) throw new Error(`No token was made: ${text}`);
    };
    const metadata = { customer_id: 'c-1042' };
    await store({ id: exampleIds.card, type: 'card', data: exampleCard, metadata });
    await store({ id: exampleIds.person, type: 'social_security_number', data: '123-45-6789', metadata });
    const checkout = await createApplication(vault, tenant, {
      name: 'Checkout',
      permissions: ['token:create'],
      rules: [
        {
          description: 'Show masked cards',
          priority: 1,
          container: '/pci/',
          transform: 'mask',
          permissions: ['token:read', 'token:search'],
        },
      ],
    });
    const invited = await ask('/tenants/self/invitations', tenant.keys.management, { email: 'grace@example.com' });
    const session = (await ask('/sessions', tenant.keys.public)).body as Session;
    const authorized = (await ask('/sessions', tenant.keys.public)).body as Session;
    const clientKey = await ask('/keys', tenant.keys.management, {});
    const card = { number: '4242424242424242', expiration_month: 12, expiration_year: 2030 };
    const intent = await ask('/token-intents', tenant.keys.private, { type: 'card', data: card });
    const rule = { priority: 1, container: '/pci/high/', transform: 'mask', permissions: ['token:create'] };
    await ask('/sessions/authorize', tenant.keys.reveal, { nonce: authorized.nonce, rules: [rule] });
    const { rows } = await vault.database.owner.query<{ id: string }>(
      'select id from sessions where tenant_id = $1 and authorized_at is not null',
      [tenant.id],
    );
    const own = await untilServed(() => vault.request('GET', '/applications/key', { key: tenant.keys.private }));
    const known: (readonly [string, string])[] = [
      [exampleIds.tenant, tenant.id],
      [exampleIds.caller, idOf(own)],
      [exampleIds.callerKey, (own.body as { keys: { id: string }[] }).keys[0]?.id ?? ''],
      [exampleIds.application, checkout.id],
      [exampleIds.applicationKey, checkout.keyId],
      [exampleIds.invitation, idOf(invited)],
      [exampleIds.clientKey, idOf(clientKey)],
      [exampleIds.tokenIntent, idOf(intent)],
      [exampleIds.session, rows[0]?.id ?? ''],
      ...(await addPeople(vault, tenant)),
      [exampleDestination, proxy.url],
      [exampleRootKey, vault.server.core.rootKeys.primary.id],
      ...[exampleIds.card, exampleIds.person, exampleIds.nobody].map((id) => [id, id] as const),
    ];
    for (const resource of resources.filter(({ exampleId }) => !known.some(([id]) => id === exampleId)))
      known.push([resource.exampleId ?? '', await createResource(vault, tenant, resource)]);
    const webhookId = known.find(([id]) => id === exampleIds.webhook)?.[1];
    if (webhookId !== undefined) {
      const id = crypto.randomUUID();
      await addDelivery(vault.database.owner, { tenantId: tenant.id, webhookId, id, entityId: exampleIds.card });
      known.push([exampleIds.delivery, id]);
    }
    const record = (await vault.auditRecords(tenant.id)).find(isCreation);
    const bindings = new Bindings(known, [
      [exampleSecrets.nonce, session.nonce],
      [exampleIds.log, String(record?.['id'])],
      [exampleRecordTime, timeOf(record?.['created_at'])],
    ]);
    return new ExampleWorld(vault, tenant, { ...tenant.keys, session: session.session_key }, bindings);
  }

  private constructor(
    vault: TestVault,
    tenant: TestTenant,
    keys: Readonly<Record<ExampleKey, string>>,
    bindings: Bindings,
  ) {
    this.#vault = vault;
    this.tenant = tenant;
    this.keys = keys;
    this.bindings = bindings;
  }

  /** Sends the request of an example, with the values of this tenant. */
  send(
    { method, template, mediaType }: { method: string; template: string; mediaType: string },
    { path = {}, query = {}, headers = {}, body, target }: ExampleRequest,
    key: string,
  ): Promise<TestResponse> {
    const here = (text: string) => this.bindings.toActual(text);
    const filled = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(here(path[name] ?? '')));
    const asked = Object.entries(query).map(([name, value]) => [name, here(value)] as const);
    const search = new URLSearchParams(Object.fromEntries(asked)).toString();
    return this.#vault.request(method, `${target ?? filled}${search === '' ? '' : `?${search}`}`, {
      key,
      headers: {
        ...(body === undefined ? {} : { 'content-type': mediaType }),
        ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, here(value)])),
      },
      ...(body === undefined ? {} : { rawBody: here(JSON.stringify(body)) }),
    });
  }
}

interface Session {
  readonly session_key: string;
  readonly nonce: string;
}

/** Returns true for the audit record of the card's creation. */
function isCreation({ entity_id, operation }: Record<string, unknown>): boolean {
  return entity_id === exampleIds.card && operation === 'create';
}

function idOf({ body }: TestResponse): string {
  return (body as { id: string }).id;
}

/** Users do not belong to a tenant, so all example worlds share the same people. */
const person = `insert into users (id, email, first_name) values (gen_random_uuid(), $2, $3)
  on conflict (lower(email)) do update set first_name = excluded.first_name returning id`;

async function addPeople(vault: TestVault, { id }: TestTenant): Promise<(readonly [string, string])[]> {
  const run = async (statement: string, email: string, name: string) => {
    const text = `with person as (${person}) ${statement} returning members.id, members.user_id`;
    const { rows } = await vault.database.owner.query<{ id: string; user_id: string }>(text, [id, email, name]);
    return rows[0] ?? { id: '', user_id: '' };
  };
  const owner = await run(
    `update members set user_id = person.id from person where tenant_id = $1 and role = 'OWNER'`,
    'ada@example.com',
    'Ada',
  );
  const member = await run(
    `insert into members (tenant_id, id, user_id, role) select $1, gen_random_uuid(), id, 'ADMIN' from person`,
    'charles@example.com',
    'Charles',
  );
  return [
    [exampleIds.owner, owner.id],
    [exampleIds.ownerUser, owner.user_id],
    [exampleIds.member, member.id],
    [exampleIds.user, member.user_id],
  ];
}

/** Deletes the tenant as if the notification had not yet reached the server, which still knows the tenant's keys. */
export async function deleteUnnoticed(vault: TestVault, { tenant, keys }: ExampleWorld): Promise<void> {
  for (const key of Object.values(keys)) await vault.request('GET', '/roles', { key });
  const client = await vault.database.owner.connect();
  try {
    await client.query('begin');
    // Triggers are disabled, so no notification is sent, and the rows that cascade are deleted here.
    await client.query('set local session_replication_role = replica');
    const { rows } = await client.query<{ name: string }>(
      `select distinct conrelid::regclass::text as name from pg_constraint
        join pg_attribute on attrelid = conrelid and attname = 'tenant_id' where contype = 'f' and confdeltype = 'c'`,
    );
    for (const { name } of rows) await client.query(`delete from ${name} where tenant_id = $1`, [tenant.id]);
    await client.query('delete from tenants where id = $1', [tenant.id]);
    await client.query('commit');
  } finally {
    client.release();
  }
  vault.server.core.keyring.forget(tenant.id);
}

/**
 * Returns the time in ISO format. The default text form of a date omits the milliseconds, which the time of a record
 * includes.
 */
function timeOf(createdAt: unknown): string {
  return createdAt instanceof Date ? createdAt.toISOString() : new Date(String(createdAt)).toISOString();
}

/**
 * Makes the tenant require approvals. Its application already reveals plaintext, and its member has read-only access.
 */
export async function demandApprovals(vault: TestVault, { tenant }: ExampleWorld): Promise<void> {
  for (const statement of [
    `update tenants set settings = '{"approve_plaintext": "true"}' where id = $1`,
    `update applications set rules = jsonb_set(rules, '{0,transform}', '"reveal"') where tenant_id = $1 and name = 'Checkout'`,
    `update members set role = 'READ_ONLY' where tenant_id = $1 and role = 'ADMIN'`,
  ])
    await vault.database.owner.query(statement, [tenant.id]);
}

/** Sets a legal hold on everything that the tenant stores. */
export async function holdAll(vault: TestVault, { tenant }: ExampleWorld): Promise<void> {
  const answer = await vault.request('POST', '/legal-holds', {
    key: tenant.keys.management,
    body: { reason: 'Dispute 2026-114' },
  });
  if (answer.status !== 201) throw new Error(`No hold was set: ${answer.text}`);
}

/**
 * Counts tokens for the erasure of the examples. Other examples do without it, because the log says that it was
 * counted.
 */
export async function addErasure(vault: TestVault, { tenant, bindings }: ExampleWorld): Promise<void> {
  const answer = await new TestErasures(vault, tenant).ask('POST', '', { container: '/pci/closed/', type: 'card' });
  bindings.bind(exampleIds.erasure, idOf(answer));
}

/** Confirms the erasure of the examples, and runs it until it has a receipt. */
export async function finishErasure(vault: TestVault, { tenant, bindings }: ExampleWorld): Promise<void> {
  const erasures = new TestErasures(vault, tenant);
  await erasures.ask('POST', `/${bindings.toActual(exampleIds.erasure)}/confirm`, { confirmed_tokens: 0 });
  await erasures.run();
}
