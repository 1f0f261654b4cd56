import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApplication, fieldsOf, recordsOf } from '../../../../test/harness/test-application.ts';
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

const number = '4242424242424242';
const card = (cvc: unknown = '987') => ({
  type: 'card',
  data: { number, expiration_month: 12, expiration_year: 2050, cvc },
});
const amex = (cvc: unknown) => ({ type: 'card', data: { number: '378282246310005', cvc } });
const dataOf = async (id: string) => tokenOf(await tokens.get(id)).data;

interface CodeRow {
  readonly token_version: number;
  readonly sealed: Buffer;
  readonly minutes: number;
}
const codeOf = async (id: string) => {
  const { rows } = await vault.database.owner.query(
    `select token_version, sealed, extract(epoch from expires_at - now()) / 60 as minutes from token_cvcs where token_id = $1`,
    [id],
  );
  const [row] = rows as (Omit<CodeRow, 'minutes'> & { minutes: string })[];
  return row === undefined ? undefined : { ...row, minutes: Number(row.minutes) };
};
const changeCode = (id: string, change: string) =>
  vault.database.owner.query(`update token_cvcs set ${change} where token_id = $1`, [id]);

describe('a card verification code', () => {
  it('is shown to who may see the card, as the last member', async () => {
    const created = await tokens.create(card());
    expect(created.text).toContain(
      `"data":{"number":"${number}","expiration_month":12,"expiration_year":2050,"cvc":"987"},`,
    );
    expect((await tokens.get(tokenOf(created).id)).text).toBe(created.text);
  });

  it('comes back as the number or the text it was', async () => {
    for (const [made, cvc] of [
      [card, '012'],
      [amex, '0000'],
      [card, 123],
      [amex, 9999],
    ] as const) {
      const { id } = await tokens.make(made(cvc));
      expect(await dataOf(id)).toMatchObject({ cvc });
    }
  });

  it('is sealed apart, for one hour, and the card does not hold it', async () => {
    const { id } = await tokens.make(card());
    const code = await codeOf(id);
    expect(code).toMatchObject({ token_version: 1 });
    expect(code?.minutes).toBeGreaterThan(59);
    expect(code?.minutes).toBeLessThanOrEqual(60);
    expect(code?.sealed.includes('987')).toBe(false);
    // A sealed record is 78 bytes longer than its plaintext.
    const { rows } = await vault.database.owner.query('select length(data) - 78 as bytes from tokens where id = $1', [
      id,
    ]);
    const { cvc: _, ...rest } = card().data;
    expect(rows).toStrictEqual([{ bytes: JSON.stringify(rest).length }]);
  });

  it('may be gone without the card', async () => {
    const { id } = await tokens.make(card());
    await vault.database.owner.query('delete from token_cvcs where token_id = $1', [id]);
    expect(await dataOf(id)).toStrictEqual({ number, expiration_month: 12, expiration_year: 2050 });
  });

  it('is never part of a masked or redacted view', async () => {
    const { id } = await tokens.make(card());
    const rules = [
      { priority: 1, container: '/', transform: 'redact', permissions: ['token:create', 'token:read', 'token:update'] },
    ];
    const { key } = await createApplication(vault, tenant, { permissions: [], rules });
    const views = [
      ...(await Promise.all([tenant.keys.private, key].map((key) => tokens.create(card(), { key })))),
      ...(await Promise.all([tenant.keys.private, key].map((key) => tokens.get(id, { key })))),
      ...(await Promise.all(
        [tenant.keys.private, key].map((key) => tokens.patch(id, { data: { cvc: '987' } }, { key })),
      )),
    ];
    expect(views.map(({ status }) => status)).toStrictEqual([201, 201, 200, 200, 200, 200]);
    for (const { text } of views) expect(text).not.toMatch(/"987"|"cvc"/);
  });

  it('is unknown to every expression', async () => {
    const mask = { code: '{{ data.cvc }}', all: '{{ data }}', text: '[{{ data | stringify }}]' };
    const created = await tokens.create(
      { ...card(), mask, fingerprint_expression: '{{ data.cvc }}' },
      { key: tenant.keys.private },
    );
    expect(created.status).toBe(201);
    expect(JSON.stringify(tokenOf(created).data)).not.toContain('987');
    expect(tokenOf(created)).toMatchObject({ data: { code: null } });
    expect(tokenOf(created).fingerprint).toBeUndefined();
    expect(fieldsOf(await tokens.create({ ...card(), search_indexes: ['{{ data.cvc }}'] }))).toStrictEqual([
      'search_indexes.0',
    ]);
    expect(fieldsOf(await tokens.create({ ...card(), id: '{{ data.cvc | alias_preserve_length }}' }))).toStrictEqual([
      'id',
    ]);
    const [one, other] = [
      await tokens.make({ ...card('111'), fingerprint_expression: '{{ data }}' }),
      await tokens.make({ ...card('222'), fingerprint_expression: '{{ data }}' }),
    ];
    expect(one.fingerprint).toBe(other.fingerprint);
  });

  it('reaches neither the log nor the audit records', async () => {
    const { id } = await tokens.make(amex('7531'));
    await tokens.patch(id, { data: { cvc: '8642' } });
    await tokens.get(id);
    const written = vault.logLines.join() + JSON.stringify(await recordsOf(vault, tenant, id));
    // The pattern includes the quotes, escaped or not, because the digits alone can occur in ids and times by chance.
    expect(written).not.toMatch(/"(?:7531|8642)\\*"/);
  });

  it('is invisible once its hour is over, before anything removes it', async () => {
    const { id } = await tokens.make(card());
    await changeCode(id, 'expires_at = now()');
    expect(await dataOf(id)).toStrictEqual({ number, expiration_month: 12, expiration_year: 2050 });
    expect((await tokens.patch(id, { metadata: { a: 'b' } })).text).not.toContain('"cvc"');
    expect(await codeOf(id)).toBeDefined();
  });

  it('of null is none', async () => {
    const { id } = await tokens.make(card(null));
    expect(await codeOf(id)).toBeUndefined();
    expect(await dataOf(id)).not.toHaveProperty('cvc');
  });

  it('of a token that is no card is ordinary data', async () => {
    const { id } = await tokens.make({ data: { cvc: '987' } });
    expect(await codeOf(id)).toBeUndefined();
    expect(await dataOf(id)).toStrictEqual({ cvc: '987' });
  });

  it('leaves with its card', async () => {
    const { id } = await tokens.make(card());
    await tokens.delete(id);
    expect(await codeOf(id)).toBeUndefined();
  });

  it('is found with a card that exists already, and the new code is not kept', async () => {
    const own = await vault.makeTenant();
    const options = { key: own.keys.reveal };
    const first = await tokens.make(card('111'), options);
    const found = await tokens.create({ ...card('222'), deduplicate_token: true }, options);
    expect(found).toMatchObject({ status: 200, body: { id: first.id, data: { cvc: '111' } } });
  });
});

describe('an update of a card', () => {
  it('with another code replaces it, and its hour begins again', async () => {
    const { id } = await tokens.make(card());
    await changeCode(id, `expires_at = now() + interval '1 minute'`);
    const answer = await tokens.patch(id, { data: { cvc: '123' } });
    expect(answer).toMatchObject({ status: 200, body: { data: { number, cvc: '123' } } });
    expect(await dataOf(id)).toMatchObject({ cvc: '123' });
    const code = await codeOf(id);
    expect(code?.token_version).toBe(2);
    expect(code?.minutes).toBeGreaterThan(59);
  });

  it('with a code brings one where there was none, or where it is over', async () => {
    const { id } = await tokens.make({ type: 'card', data: { number } });
    await tokens.patch(id, { data: { cvc: '111' } });
    expect(await dataOf(id)).toMatchObject({ cvc: '111' });
    await changeCode(id, 'expires_at = now()');
    await tokens.patch(id, { data: { cvc: 222 } });
    expect(await dataOf(id)).toMatchObject({ cvc: 222 });
  });

  it('with null removes the code at once', async () => {
    const { id } = await tokens.make(card());
    const answer = await tokens.patch(id, { data: { cvc: null } });
    expect(answer.status).toBe(200);
    expect(answer.text).not.toContain('"cvc"');
    expect(await codeOf(id)).toBeUndefined();
    expect(await dataOf(id)).not.toHaveProperty('cvc');
  });

  it('that does not speak of the code keeps it, and its hour goes on', async () => {
    const { id } = await tokens.make(card());
    await changeCode(id, `expires_at = now() + interval '10 minutes'`);
    const before = await codeOf(id);
    for (const patch of [
      { metadata: { a: 'b' } },
      { data: { expiration_month: 1 } },
      { data: {} },
      { containers: ['/x/'] },
      {},
    ]) {
      expect((await tokens.patch(id, patch)).body).toMatchObject({ data: { cvc: '987' } });
    }
    const after = await codeOf(id);
    expect(after?.sealed).toStrictEqual(before?.sealed);
    expect(after?.token_version).toBe(1);
    expect(after?.minutes).toBeLessThanOrEqual(10);
    expect(await dataOf(id)).toMatchObject({ expiration_month: 1, cvc: '987' });
  });

  it('with a code of another brand is refused', async () => {
    const { id } = await tokens.make(amex('1234'));
    expect(fieldsOf(await tokens.patch(id, { data: { cvc: '123' } }))).toStrictEqual(['data.cvc']);
    expect(fieldsOf(await tokens.patch(id, { data: { number, cvc: '1234' } }))).toStrictEqual(['data.cvc']);
    expect(await dataOf(id)).toStrictEqual({ number: '378282246310005', cvc: '1234' });
    expect((await tokens.patch(id, { data: { number, cvc: '123' } })).status).toBe(200);
  });

  it('that is refused changes nothing about the code', async () => {
    const { id } = await tokens.make(card());
    const before = await codeOf(id);
    for (const data of [{ cvc: '12' }, { cvc: '123', number: '1' }, null, { cvc: { a: 1 } }]) {
      expect((await tokens.patch(id, { data })).status).toBe(400);
    }
    expect((await codeOf(id))?.sealed).toStrictEqual(before?.sealed);
    expect(await dataOf(id)).toMatchObject({ cvc: '987' });
  });
});

describe('a sealed code', () => {
  const moveCode = async (from: string, to: string) => {
    const { owner } = vault.database;
    await owner.query('delete from token_cvcs where token_id = $1', [to]);
    await owner.query(
      'insert into token_cvcs (tenant_id, token_id, token_version, sealed, expires_at) select tenant_id, $2, token_version, sealed, expires_at from token_cvcs where token_id = $1',
      [from, to],
    );
  };

  it('is not revealed on another card', async () => {
    const [from, to] = [await tokens.make(amex('9753')), await tokens.make(amex('1111'))];
    await moveCode(from.id, to.id);
    expect((await tokens.get(to.id)).text).not.toContain('"9753"');
    expect((await tokens.get(to.id, { key: tenant.keys.private })).status).toBe(200);
    expect(await dataOf(from.id)).toMatchObject({ cvc: '9753' });
    expect(vault.logLines.join()).not.toMatch(/"9753\\*"/);
  });

  it('is not revealed for another version of its card', async () => {
    const { id } = await tokens.make(amex('9753'));
    await changeCode(id, 'token_version = 2');
    expect((await tokens.get(id)).text).not.toContain('"9753"');
  });

  it('is not revealed once a byte of it has changed', async () => {
    const { id } = await tokens.make(amex('9753'));
    await changeCode(id, 'sealed = set_byte(sealed, length(sealed) - 20, 255 - get_byte(sealed, length(sealed) - 20))');
    expect((await tokens.get(id)).text).not.toContain('"9753"');
  });

  it('is not shown as the code of something else than a card', async () => {
    const from = await tokens.make(amex('9753'));
    const to = await tokens.make({ data: { a: 1 } });
    await moveCode(from.id, to.id);
    expect(await tokens.get(to.id)).toMatchObject({ status: 200, body: { data: { a: 1 } } });
    expect((await tokens.get(to.id)).text).not.toContain('"9753"');
  });
});
