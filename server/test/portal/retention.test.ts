import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkReceipt } from '../../src/features/retention/index.ts';
import { age, createToken, listStored } from '../harness/aged-tokens.ts';
import { TestErasures } from '../harness/erasures.ts';
import { PortalBrowser, settled } from '../harness/portal-browser.ts';
import { signerOf } from '../harness/sealed-log.ts';
import { type TestTenant, TestVault } from '../harness/test-vault.ts';

let vault: TestVault;
let browser: PortalBrowser;
let tenant: TestTenant;
beforeAll(async () => {
  vault = await TestVault.start();
  browser = await PortalBrowser.start(vault);
  tenant = await vault.makeTenant();
});
afterAll(async () => {
  await browser.stop();
  await vault.stop();
});

const create = (body: object = {}) => createToken(vault, tenant, { type: 'token', data: 'x', ...body });

describe('the page of retention', () => {
  it('counts before a rule exists, sets and lifts a hold, and erases with a receipt that verifies', async () => {
    const [old, mine] = [await create(), await create({ metadata: { customer: 'c-1042' } })];
    await age(vault, [old], 40);
    const { page, context, complaints, open: visit } = await browser.signIn(tenant, 'ADMIN');
    await visit('/portal/retention');
    await page.getByText('Tokens are kept until somebody deletes them').waitFor();

    await page.getByRole('button', { name: 'New rule' }).click();
    await page.getByLabel('Keep for').fill('30');
    await page.getByRole('button', { name: 'Count the tokens' }).click();
    await page.getByText('1 token').first().waitFor();
    await page.getByRole('button', { name: 'Create the rule' }).click();
    await page.getByRole('cell', { name: 'for 30 days' }).waitFor();

    await page.getByRole('button', { name: 'New hold' }).click();
    await page.getByLabel('Reason').fill('Dispute 2026-114');
    await page.getByLabel('Container').fill('/a/');
    await page.getByRole('button', { name: 'Set the hold' }).click();
    const hold = page.getByRole('row', { name: /Dispute 2026-114/ });
    await hold.getByText('in force').waitFor();
    await browser.chromium.photograph(page, 'portal-retention');
    await hold.getByRole('button', { name: 'Lift' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Lift it' }).click();
    await hold.getByText('lifted').waitFor();

    await page.getByRole('button', { name: 'Erase tokens' }).click();
    await page.getByLabel('Metadata').fill('customer=C-1042');
    await page.getByRole('button', { name: 'Count the tokens' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Erase 1 token' }).click();
    await page.getByText('waits for a worker').waitFor();
    await new TestErasures(vault, tenant).run();
    await page.reload();
    await settled(page);
    await page.getByText('finished').waitFor();
    expect(await listStored(vault, [old, mine])).toEqual([old]);
    const downloading = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Receipt' }).click();
    const file = await (await downloading).path();
    const verdict = await checkReceipt(file, signerOf(vault.server).publicKey);
    expect(verdict).toMatchObject({ problem: undefined, head: { tokens: 1 } });
    expect((await readFile(file, 'utf8')).toLowerCase()).not.toContain('c-1042');
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('shows an auditor rules and holds, and nothing to change', async () => {
    const { page, context, open: visit } = await browser.signIn(tenant, 'READ_ONLY');
    await visit('/portal/retention');
    await page.getByRole('cell', { name: 'for 30 days' }).waitFor();
    expect(await page.getByRole('button', { name: /New|Delete|Lift|Erase/ }).count()).toBe(0);
    expect(await page.getByRole('heading', { name: 'Erasures' }).count()).toBe(0);
    await context.close();
  });
});
