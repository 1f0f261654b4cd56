import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withoutTraceId } from '../../../../test/harness/problem-text.ts';
import { createApplication, recordsOf } from '../../../../test/harness/test-application.ts';
import { type TestTenant, TestVault } from '../../../../test/harness/test-vault.ts';
import { TokenEndpoints, tokenOf } from '../../../../test/harness/token-endpoints.ts';

let vault: TestVault;
let tenant: TestTenant;
let tokens: TokenEndpoints;
beforeAll(async () => {
  vault = await TestVault.start();
  tenant = await vault.makeTenant();
  tokens = new TokenEndpoints(vault, tenant.keys.reveal);
});
afterAll(() => vault.stop());

type Rule = readonly [container: string, transform: 'redact' | 'mask' | 'reveal', ...permissions: string[]];
/** Returns the endpoints as called by an application with these rules, in this order, and these plain permissions. */
const callAs = async (rules: readonly Rule[], permissions: readonly string[] = []) => {
  const { key } = await createApplication(vault, tenant, {
    permissions,
    rules: rules.map(([container, transform, ...granted], index) => ({
      description: `rule ${index}`,
      priority: index + 1,
      container,
      transform,
      permissions: granted,
    })),
  });
  return new TokenEndpoints(vault, key);
};
const card = { type: 'card', data: { number: '4242424242424242', expiration_month: 12, expiration_year: 2050 } };
const maskedCard = { ...card.data, number: 'XXXXXXXXXXXX4242' };

describe('what GET /tokens/{id} shows', () => {
  it('is masked under a plain permission, and revealed under none of them', async () => {
    const { id } = await tokens.make(card);
    const plain = await callAs([], ['token:read', 'token:use', 'token:search', 'token:update']);
    expect((await plain.get(id)).body).toMatchObject({ data: maskedCard, mask: maskedCard });
  });

  it('is the plaintext under a rule that reveals', async () => {
    const { id } = await tokens.make(card);
    const revealing = await callAs([['/pci/', 'reveal', 'token:read']]);
    expect((await revealing.get(id)).body).toMatchObject({ data: card.data, mask: maskedCard });
  });

  it('lacks the data, the fingerprint and what is read off the data under a rule that redacts', async () => {
    const { id } = await tokens.make({ ...card, metadata: { order: '7' }, search_indexes: ['{{ data.number }}'] });
    const redacting = await callAs([['/', 'redact', 'token:read']]);
    const {
      data: _,
      card: __,
      fingerprint: ___,
      mask: ____,
      ...rest
    } = tokenOf(await tokens.get(id)) as ReturnType<typeof tokenOf> & { card: object };
    expect((await redacting.get(id)).body).toStrictEqual(rest);
  });

  it('has no data where there is no mask', async () => {
    const { id } = await tokens.make({ data: 'Sensitive' });
    const plain = await callAs([], ['token:read']);
    const { data: _, ...rest } = tokenOf(await tokens.get(id));
    expect((await plain.get(id)).body).toStrictEqual(rest);
  });

  it('is decided by the first rule that covers the container and grants the reading', async () => {
    const caller = await callAs(
      [
        ['/a/b/', 'redact', 'token:read'],
        ['/a/', 'mask', 'token:update'],
        ['/a/', 'reveal', 'token:read'],
        ['/', 'mask', 'token:read'],
      ],
      ['token:read'],
    );
    const read = async (...containers: string[]) => {
      const { id } = await tokens.make({ data: 'plain', mask: 'masked', containers });
      return tokenOf(await caller.get(id)).data;
    };
    expect(await read('/a/b/')).toBeUndefined();
    expect(await read('/a/b/c/')).toBeUndefined();
    expect(await read('/a/bc/')).toBe('plain');
    expect(await read('/a/')).toBe('plain');
    expect(await read('/ab/')).toBe('masked');
    expect(await read('/')).toBe('masked');
    expect(await read('/z/', '/a/c/')).toBe('plain');
    expect(await read('/a/', '/a/b/')).toBeUndefined();
  });

  it('403 names the permission and the containers where no rule covers the token, and is not recorded as read', async () => {
    const { id } = await tokens.make({ data: 1, containers: ['/b/', '/c/'] });
    const caller = await callAs([
      ['/a/', 'reveal', 'token:read'],
      ['/', 'reveal', 'token:create'],
    ]);
    const answer = await caller.get(id);
    expect(answer).toMatchObject({
      status: 403,
      body: { detail: 'Missing permission: token:read on container /b/, /c/' },
    });
    const reads = (await recordsOf(vault, tenant, id)).filter(
      ({ operation, outcome }) => operation === 'read' && outcome === 'success',
    );
    expect(reads).toHaveLength(0);
  });
});

describe('what POST /tokens shows', () => {
  it('is masked under a plain permission, whatever a rule lets the key read', async () => {
    const caller = await callAs([['/', 'reveal', 'token:read']], ['token:create']);
    const created = await caller.create(card);
    expect(created).toMatchObject({ status: 201, body: { data: maskedCard } });
    expect((await caller.get(tokenOf(created).id)).body).toMatchObject({ data: card.data });
  });

  it('is the plaintext under a rule that reveals what is created, even to who cannot read', async () => {
    const caller = await callAs([['/pci/high/', 'reveal', 'token:create']]);
    expect(await caller.create(card)).toMatchObject({ status: 201, body: { data: card.data } });
  });

  it('is nothing under a rule that redacts', async () => {
    const caller = await callAs([['/', 'redact', 'token:create']], ['token:read']);
    const created = await caller.create(card);
    expect(created.status).toBe(201);
    expect(Object.keys(created.body as object)).not.toContain('data');
    expect((await caller.get(tokenOf(created).id)).body).toMatchObject({ data: maskedCard });
  });

  it('is the least that any of the containers allows', async () => {
    const caller = await callAs([
      ['/a/', 'reveal', 'token:create'],
      ['/b/', 'mask', 'token:create'],
    ]);
    const body = { type: 'token', data: 'plain', mask: 'masked' };
    expect(tokenOf(await caller.create({ ...body, containers: ['/a/'] })).data).toBe('plain');
    expect(tokenOf(await caller.create({ ...body, containers: ['/a/', '/b/'] })).data).toBe('masked');
  });

  it('is masked to a public application', async () => {
    expect(await tokens.create(card, { key: tenant.keys.public })).toMatchObject({
      status: 201,
      body: { data: maskedCard },
    });
  });
});

describe('what PATCH /tokens/{id} shows', () => {
  it('is masked under a plain permission, whatever a rule lets the key read', async () => {
    const { id } = await tokens.make(card);
    const caller = await callAs([['/', 'reveal', 'token:read']], ['token:update']);
    const data = { ...maskedCard, expiration_month: 1 };
    expect(await caller.patch(id, { data: { expiration_month: 1 } })).toMatchObject({
      status: 200,
      body: { data, mask: data },
    });
  });

  it('is the plaintext under a rule that reveals what is updated', async () => {
    const { id } = await tokens.make(card);
    const caller = await callAs([['/pci/', 'reveal', 'token:update']]);
    expect(await caller.patch(id, {})).toMatchObject({ status: 200, body: { data: card.data } });
  });

  it('is nothing under a rule that redacts', async () => {
    const { id } = await tokens.make(card);
    const caller = await callAs([['/pci/', 'redact', 'token:update']]);
    const answer = await caller.patch(id, { metadata: { a: 'b' } });
    expect(answer).toMatchObject({ status: 200, body: { metadata: { a: 'b' } } });
    expect(answer.text).not.toContain('"data"');
    expect(answer.text).not.toContain('424242');
  });

  it('is the least that the source and the destination allow', async () => {
    const caller = await callAs([
      ['/a/', 'reveal', 'token:update'],
      ['/b/', 'mask', 'token:update'],
    ]);
    const { id } = await tokens.make({ data: 'plain', mask: 'masked', containers: ['/a/'] });
    expect(tokenOf(await caller.patch(id, {})).data).toBe('plain');
    expect(tokenOf(await caller.patch(id, { containers: ['/b/'] })).data).toBe('masked');
    expect(await caller.patch(id, { containers: ['/a/'] })).toMatchObject({
      status: 403,
      body: { detail: expect.stringContaining('Moving a token to containers where this key sees more of it') },
    });
  });
});

describe('who may do what', () => {
  it('403 without the permission of the operation, whatever else is granted', async () => {
    const { id } = await tokens.make({ data: 1 });
    const all = ['token:create', 'token:read', 'token:update', 'token:delete', 'token:search', 'token:use'];
    const without = (missing: string) =>
      callAs(
        [],
        all.filter((permission) => permission !== missing),
      );
    const answers = [
      await (await without('token:create')).create({ type: 'token', data: 1 }),
      await (await without('token:read')).get(id),
      await (await without('token:update')).patch(id, {}),
      await (await without('token:delete')).delete(id),
    ];
    expect(answers.map(({ status }) => status)).toStrictEqual([403, 403, 403, 403]);
    expect(answers.map(({ body }) => (body as { detail: string }).detail)).toStrictEqual(
      ['create', 'read', 'update', 'delete'].map((action) => `Missing permission: token:${action}`),
    );
    expect((await tokens.get(id)).body).toMatchObject({ data: 1 });
  });

  it('403 outside of the containers of the rule, and the token stays as it was', async () => {
    const { id } = await tokens.make({ data: 1, containers: ['/b/'] });
    const caller = await callAs([['/a/', 'reveal', 'token:read', 'token:update', 'token:delete']]);
    const answers = [await caller.get(id), await caller.patch(id, { data: 2 }), await caller.delete(id)];
    expect(answers.map(({ body }) => (body as { detail: string }).detail)).toStrictEqual(
      ['read', 'update', 'delete'].map((action) => `Missing permission: token:${action} on container /b/`),
    );
    expect(tokenOf(await tokens.get(id))).toMatchObject({ data: 1 });
  });

  it('404 for whatever belongs to another tenant, exactly as for what does not exist', async () => {
    const other = await vault.makeTenant();
    const theirs = new TokenEndpoints(vault, other.keys.reveal);
    const { id } = await theirs.make({ data: 'theirs' });
    const before = await vault.auditRecords(tenant.id);
    for (const call of [
      (wanted: string) => tokens.get(wanted),
      (wanted: string) => tokens.patch(wanted, { data: 'ours' }),
      (wanted: string) => tokens.delete(wanted),
    ]) {
      const foreign = await call(id);
      const absent = await call(crypto.randomUUID());
      expect([foreign.status, withoutTraceId(foreign.text)]).toEqual([404, withoutTraceId(absent.text)]);
    }
    expect(await theirs.get(id)).toMatchObject({ status: 200, body: { data: 'theirs' } });
    const misses = (await vault.auditRecords(tenant.id)).slice(before.length);
    expect(misses).toMatchObject(Array.from({ length: 6 }, () => ({ outcome: 'missed', containers: null })));
  });
});

describe('what is recorded', () => {
  it('is one record for each operation that happened, with its actor and containers', async () => {
    const { id } = await tokens.make({ ...card, containers: ['/a/'] });
    await tokens.get(id, { key: tenant.keys.private });
    await tokens.patch(id, { containers: ['/b/'] });
    await tokens.delete(id);
    expect(await recordsOf(vault, tenant, id)).toMatchObject([
      { operation: 'create', entity_type: 'card', outcome: 'success', containers: ['/a/'] },
      { operation: 'read', entity_type: 'card', outcome: 'success', containers: ['/a/'] },
      { operation: 'update', entity_type: 'card', outcome: 'success', containers: ['/b/'] },
      { operation: 'delete', entity_type: 'card', outcome: 'success', containers: ['/b/'] },
    ]);
  });

  it('is nothing of what was refused', async () => {
    const { id } = await tokens.make({ data: 1 });
    const answers = await Promise.all([
      tokens.create({ id, type: 'token', data: 2 }),
      tokens.patch(id, { containers: ['no'] }),
      tokens.patch(id, { data: 'x', mask: '{{ data | to_number }}' }),
      vault.request('PATCH', `/tokens/${id}`, { key: tenant.keys.reveal, body: {} }),
      tokens.patchRaw(id, '{'),
    ]);
    expect(answers.map(({ status }) => status)).toStrictEqual([409, 400, 400, 415, 400]);
    // The caller learned that the id was taken, so the attempt is recorded.
    expect(await recordsOf(vault, tenant, id)).toMatchObject([
      { operation: 'create', outcome: 'success' },
      { operation: 'create', outcome: 'failed', details: '{"found":1}' },
    ]);
  });
});
