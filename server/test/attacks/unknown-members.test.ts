import { afterAll, beforeAll, expect, it } from 'vitest';
import { times } from '../harness/heavy-requests.ts';
import { MeasuredVault } from '../harness/measured-vault.ts';
import { createApplication } from '../harness/test-application.ts';
import { type TestTenant, TestVault } from '../harness/test-vault.ts';

/** Previously, all members of a body were listed with their values in one turn. Listing 90,000 took up to 230 ms. */
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

const unknown = Object.fromEntries(times(90_000, (index) => [`unknown${index}`, index]));
const token = { type: 'token', data: 'small' };

it.each<[string, string, unknown, number]>([
  ['after those of a token', '/tokens', { ...token, ...unknown }, 201],
  ['before those of a token', '/tokens', { ...unknown, ...token }, 201],
  ['in a body that is refused', '/tokens', unknown, 400],
])('checks very many unknown members in short turns: %s', async (_name, path, body, status) => {
  const answer = await measured.measureShort({ method: 'POST', path, key: anybody, body: JSON.stringify(body) });
  expect(answer.status, answer.text.slice(0, 300)).toBe(status);
  expect(answer.longestMs).toBeLessThan(measured.turnMaxMs);
});
