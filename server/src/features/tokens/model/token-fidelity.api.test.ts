import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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

/** Texts that are returned byte for byte as long as the data is not changed. */
const spellings = [
  ['big integers', '12345678901234567890123456789012345678901234567890'],
  ['negative big integers', '-9007199254740993'],
  ['exponents out of range', '1e400'],
  ['exponents', '[1E2, 1e+2, 1.5e-7, 0e0]'],
  ['negative zero', '-0'],
  ['trailing zeros', '[1.0, 2.50, 0.10]'],
  ['long fractions', '0.1000000000000000055511151231257827021181583404541015625'],
  ['escapes', '"\\u0041\\ud83d\\ude00\\/ \\b\\f\\n\\r\\t\\"\\\\"'],
  ['halves of characters', '"\\ud800 \\udfff"'],
  ['a NUL', '"\\u0000"'],
  ['characters of every length', '"é名👍\u2028\u007f"'],
  ['blanks', '{ "a" :\t[ ] ,\r\n "b":{ } }'],
  ['names that mean something elsewhere', '{"__proto__":{"a":1},"constructor":2,"toString":3,"":4,"data":{"data":5}}'],
  ['numbers as names, in their order', '{"10":1,"9":2,"a":3,"1":4}'],
] as const;

describe('data', () => {
  it.each(spellings)('gives %s back as they went in', async (_name, text) => {
    const created = await tokens.createRaw(text);
    expect(created.status).toBe(201);
    expect(created.text).toContain(`"data":${text},`);
    expect((await tokens.get(tokenOf(created).id)).text).toBe(created.text);
  });

  it.each(spellings)('keeps %s through an update of something else', async (_name, text) => {
    const { id } = tokenOf(await tokens.createRaw(text));
    for (const patch of ['{"metadata":{"a":"b"}}', '{"mask":"x"}', '{"containers":["/x/"]}', '{}']) {
      expect((await tokens.patchRaw(id, patch)).text).toContain(`"data":${text},`);
    }
    expect((await tokens.get(id)).text).toContain(`"data":${text},`);
  });

  it.each(spellings)('takes %s from an update that replaces it', async (_name, text) => {
    const { id } = tokenOf(await tokens.createRaw('"before"'));
    const answer = await tokens.patchRaw(id, `{"data":[${text}]}`);
    expect(answer.text).toContain(`"data":[${text}],`);
    expect((await tokens.get(id)).text).toBe(answer.text);
  });

  it.each([
    ['big integers', '12345678901234567890123456789012345678901234567890'],
    ['exponents out of range', '1e400'],
    ['negative zero', '-0'],
    ['trailing zeros', '1.0'],
    ['lists of numbers', '[1E2,1.5e-7,0e0,2.50]'],
    ['halves of characters', '"\\ud800"'],
    ['escapes that are needed', '"\\u0000\\n\\"\\\\"'],
    ['nested objects', '{"__proto__":{"x":-0}}'],
  ])('keeps %s through an update of another member', async (_name, text) => {
    const { id } = tokenOf(await tokens.createRaw(`{"kept":${text},"changed":1}`));
    const answer = await tokens.patchRaw(id, `{"data":{"changed":${text}}}`);
    expect(answer.text).toContain(`"data":{"kept":${text},"changed":${text}},`);
    expect((await tokens.get(id)).text).toBe(answer.text);
    const again = await tokens.patchRaw(id, '{"data":{"changed":null}}');
    expect(again.text).toContain(`"data":{"kept":${text}},`);
  });

  it('means the same after an update of another member, where its spelling has become plain', async () => {
    const { id } = tokenOf(await tokens.createRaw('{ "a" : "\\u0041\\/\\ud83d\\ude00" }'));
    const answer = await tokens.patchRaw(id, '{"data":{"b":"\\u00e9"}}');
    expect(answer.text).toContain('"data":{"a":"A/😀","b":"é"},');
  });

  it('may be as deep as a body may be, and is read, masked and updated at that depth', async () => {
    const deep = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
    expect((await tokens.createRaw(deep(63))).status).toBe(400);
    const created = await tokens.createRaw(deep(62));
    expect(created.status).toBe(201);
    const { id } = tokenOf(created);
    expect((await tokens.patchRaw(id, '{"data":{"b":2},"mask":"{{ data }}"}')).status).toBe(200);
    expect((await tokens.patchRaw(id, `{"data":${deep(63)}}`)).status).toBe(400);
    expect((await tokens.get(id, { key: tenant.keys.private })).text).toContain(
      `"data":${deep(62).slice(0, -1)},"b":2},`,
    );
  });

  it('may fill a whole body', async () => {
    const text = `"${'é'.repeat(2_000_000)}"`;
    const created = await tokens.createRaw(text);
    expect(created.status).toBe(201);
    expect((await tokens.get(tokenOf(created).id)).text).toBe(created.text);
    expect(created.text.length).toBeGreaterThan(text.length);
    expect((await tokens.createRaw(`"${'é'.repeat(2_100_000)}"`)).status).toBe(413);
  });
});
