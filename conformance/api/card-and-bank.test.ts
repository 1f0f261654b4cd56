import { describe, expect, inject, it } from 'vitest';
import { ApiCaller, fieldsOf } from '../harness/api-caller.ts';
import { databaseOf } from '../harness/database-of.ts';
import { testCard } from '../harness/value-forms.ts';

const vault = inject('vault');
const masked = new ApiCaller(vault, vault.keys.private);
const revealed = new ApiCaller(vault, vault.keys.reveal);

const card = (change: object) => masked.post('/tokens', { type: 'card', data: { ...testCard, ...change } });
const bank = (data: object) => masked.post('/tokens', { type: 'bank', data });
const refused = (field: string) => ({ status: 400, fields: [`data.${field}`] });
async function outcome(answer: ReturnType<typeof card>) {
  const settled = await answer;
  return { status: settled.status, fields: fieldsOf(settled) };
}

describe('Resources: card data', () => {
  it('number is required', async () => {
    expect(await outcome(card({ number: undefined }))).toEqual(refused('number'));
  });

  it.each(['4242-4242-4242-4242', '4242 4242 4242 4242'])('number has no separators: %s', async (number) => {
    expect(await outcome(card({ number }))).toEqual(refused('number'));
  });

  it('number is text', async () => {
    expect(await outcome(card({ number: 4_242_424_242_424_242 }))).toEqual(refused('number'));
  });

  it.each(['expiration_month', 'expiration_year', 'cvc'])('%s may be left out', async (field) => {
    expect((await card({ [field]: undefined })).status).toBe(201);
  });

  it.each([0, 13, '12', 1.5])('expiration_month is a month as an integer: %j is not', async (expiration_month) => {
    expect(await outcome(card({ expiration_month }))).toEqual(refused('expiration_month'));
  });

  it.each([50, 20_500, '2050'])('expiration_year is an integer of four digits: %j is not', async (expiration_year) => {
    expect(await outcome(card({ expiration_year }))).toEqual(refused('expiration_year'));
  });

  const amex = '378282246310005';
  it.each([
    [testCard.number, '123'],
    [amex, '1234'],
  ])('cvc has as many digits as the brand of %s prints: %s', async (number, cvc) => {
    expect((await card({ number, cvc })).status).toBe(201);
  });

  it.each([
    [testCard.number, '12'],
    [testCard.number, '1234'],
    [testCard.number, '12a'],
    [amex, '123'],
    [amex, '12345'],
  ])('cvc has as many digits as the brand of %s prints: %s is refused', async (number, cvc) => {
    expect(await outcome(card({ number, cvc }))).toEqual(refused('cvc'));
  });

  it('cvc is gone one hour after the creation, and the rest of the token remains', async () => {
    const { id } = await masked.store({ type: 'card', data: testCard });
    expect((await revealed.read(id)).data).toEqual(testCard);
    const database = databaseOf(vault);
    const [code] = await database('select expires_at - now() as left from token_cvcs where token_id = $1', [id]);
    expect(code?.['left']).toMatchObject({ minutes: 59 });
    // The code expires immediately instead of after an hour.
    await database(`update token_cvcs set expires_at = now() where token_id = $1`, [id]);
    const { cvc: _, ...rest } = testCard;
    expect((await revealed.read(id)).data).toEqual(rest);
  });

  it('the answer shows the last four digits of the number and X in the other places', async () => {
    const { body } = await card({ number: '4000056655665556' });
    expect(body).toMatchObject({ data: { number: 'XXXXXXXXXXXX5556' } });
  });
});

describe('Resources: bank data', () => {
  const good = { routing_number: '021000021', account_number: '00001' };

  it('takes a routing number and an account number', async () => {
    expect((await bank(good)).status).toBe(201);
  });

  it.each(['routing_number', 'account_number'])('%s is required', async (field) => {
    expect(await outcome(bank({ ...good, [field]: undefined }))).toEqual(refused(field));
  });

  it.each(['02100002', '0210000210', '02100002a'])('routing_number has nine digits: %s has not', async (number) => {
    expect(await outcome(bank({ ...good, routing_number: number }))).toEqual(refused('routing_number'));
  });

  it('the checksum of routing_number is checked', async () => {
    expect(await outcome(bank({ ...good, routing_number: '021000022' }))).toEqual(refused('routing_number'));
  });

  it('account_number has up to seventeen digits', async () => {
    expect((await bank({ ...good, account_number: '1'.repeat(17) })).status).toBe(201);
    expect(await outcome(bank({ ...good, account_number: '1'.repeat(18) }))).toEqual(refused('account_number'));
  });
});
