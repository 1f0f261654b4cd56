import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PortalBrowser } from '../harness/portal-browser.ts';
import { ProxyVault } from '../harness/proxy-vault.ts';
import { callStored } from '../harness/stored-proxies.ts';
import { createApplication } from '../harness/test-application.ts';

let proxy: ProxyVault;
let browser: PortalBrowser;
beforeAll(async () => {
  proxy = await ProxyVault.start();
  browser = await PortalBrowser.start(proxy.vault);
});
afterAll(async () => {
  await browser.stop();
  await proxy.stop();
});

describe('the pages of routes', () => {
  it('make a route, show what it does to a sample card, and say what it may do', async () => {
    const { vault, tenant } = proxy;
    await createApplication(vault, tenant, { name: 'Inbound', permissions: ['token:create'] });
    const { page, context, complaints, open: visit } = await browser.signIn(tenant, 'ADMIN');
    await visit('/portal/routes');
    await page.getByText('There are no routes yet').waitFor();
    await visit('/portal/routes/new');
    await page.getByLabel('Name', { exact: true }).fill('Orders of a partner');
    await page.getByLabel('Destination', { exact: true }).fill(`${proxy.url}/orders`);
    await page.getByLabel('Rights', { exact: true }).selectOption({ label: 'Inbound' });

    const received = page.getByLabel('The destination receives');
    await received.filter({ hasText: /"number": "[0-9a-f-]{36}"/ }).waitFor();
    expect(await received.textContent()).not.toMatch(/4242424242424242|cvc/);
    expect(await page.getByLabel('The caller receives').textContent()).toContain('************4242');
    await page.getByText('A call like this creates 1 token').waitFor();
    await page.getByText('It has the rights of Inbound, and no others, whoever calls.').waitFor();
    await browser.chromium.photograph(page, 'portal-route');
    expect(proxy.destination.connectionCount).toBe(0);

    await page.getByRole('button', { name: 'Create the route' }).click();
    await page.getByText('Orders of a partner was created').waitFor();
    const { body } = await vault.request('GET', '/proxies', { key: tenant.keys.management });
    const [made] = (body as { data: { key: string }[] }).data;
    const called = await callStored(proxy, made?.key ?? '', { body: '{"card":{"number":"4242424242424242"}}' });
    expect(called.status).toBe(200);
    expect(proxy.destination.last.body.toString()).not.toContain('4242');

    await page.getByRole('link', { name: 'All routes' }).click();
    await page.getByText('In requests, $.card.cvc is removed.').waitFor();
    await browser.chromium.photograph(page, 'portal-routes');
    await page.getByRole('button', { name: /^Delete/ }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox').fill('Orders of a partner');
    await dialog.getByRole('button', { name: 'Delete the route' }).click();
    await page.getByText('There are no routes yet').waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('keep a draft while somebody looks at what else to start from', async () => {
    const { page, context, open: visit } = await browser.signIn(proxy.tenant, 'ADMIN');
    await visit('/portal/routes/new');
    await page.getByLabel('Name', { exact: true }).fill('Half done');
    await page.getByLabel('From nothing').check();
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('');
    await page.getByRole('link', { name: 'Cancel' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Keep editing' }).click();
    await page.getByLabel('Receive cards from a partner').check();
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Half done');
    await context.close();
  });

  it('show what a transform refuses', async () => {
    const { page, context, open: visit } = await browser.signIn(proxy.tenant, 'ADMIN');
    await visit('/portal/routes/new');
    await page.getByText('XML', { exact: true }).click();
    await page.getByText(/The transforms of this proxy need a body/).waitFor();
    await context.close();
  });
});
