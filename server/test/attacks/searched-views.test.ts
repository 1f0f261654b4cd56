import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MeasuredVault } from '../harness/measured-vault.ts';
import { post, times } from '../harness/heavy-requests.ts';
import { slownessOfMachine } from '../harness/machine-speed.ts';
import { createApplication } from '../harness/test-application.ts';
import { type TestTenant, TestVault } from '../harness/test-vault.ts';

/**
 * Previously, `indexOf` was used to check whether a mask shows all of the data. For texts like these, its running time
 * is the product of their lengths: with a public key, one request of 1.4 MB blocked the process for 22 s.
 */
const wanted = `${'a'.repeat(300)}b${'a'.repeat(20_000)}`;
const shown = `${'a'.repeat(43_000)}${wanted}`;

let vault: TestVault;
let tenant: TestTenant;
let measured: MeasuredVault;
let anybody: string;
beforeAll(async () => {
  vault = await TestVault.start();
  tenant = await vault.makeTenant();
  measured = await MeasuredVault.start(vault, tenant.keys.private);
  anybody = (await createApplication(vault, tenant, { type: 'public', permissions: ['token:create'] })).key;
});
afterAll(async () => {
  await measured.stop();
  await vault.stop();
});

it.each<[string, readonly string[]]>([
  ['one text', [wanted]],
  ['eight texts', times(8, (index) => wanted.slice(index))],
  ['as many texts as are looked for anywhere', times(64, (index) => wanted.slice(index))],
  ['a text that is not there', [`${wanted}b`]],
  ['many texts that are looked for in order', times(180, () => wanted)],
])('looks for %s in short turns', async (_name, data) => {
  const body = { type: 'token', data, mask: shown.match(/.{1,1000}/g) };
  const answer = await measured.measureShort(post('/tokens', anybody, body));
  expect(answer.status, answer.text.slice(0, 300)).toBe(201);
  expect(answer.longestMs).toBeLessThan(measured.turnMaxMs);
});

/*
 * Previously, there was no limit on how often the views of a request are searched. Here, 300 tokens of 3 KB took
 * seconds: each mask expands one value to 60,000 characters, and each of 60 other values only occurs at its end.
 */
describe('a request with many tokens', () => {
  const values = (count: number) => times(count, (index) => `x${index}y`);
  const tokens = (count: number, { repeats, others }: { repeats: number; others: number }) =>
    times(count, () => ({
      type: 'token',
      data: {
        a: 'a'.repeat(1_000),
        z: values(others).join(''),
        ...Object.fromEntries(values(others).map((value, index) => [`v${index}`, value])),
      },
      mask: [...times(repeats, () => '{{data.a}}'), '{{data.z}}'],
    }));

  it('is refused if its views would be searched for too long', async () => {
    const body = tokens(300, { repeats: 60, others: 60 });
    const answer = await measured.measureShort(post('/tokenize', tenant.keys.private, body));
    expect(answer.status, answer.text.slice(0, 300)).toBe(400);
    // Without the limit, this took 7,000 ms.
    expect(answer.workMs).toBeLessThan(2_000 * slownessOfMachine());
  });

  it('may show all of twenty values in each of a thousand', async () => {
    const body = tokens(1_000, { repeats: 1, others: 18 });
    const answer = await measured.send(post('/tokenize', tenant.keys.private, body));
    expect(answer.status, answer.text.slice(0, 300)).toBe(200);
  });
});
