import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Webhook } from 'standardwebhooks';
import { untilTrue } from '../harness/deadline.ts';
import { EventVault } from '../harness/event-vault.ts';
import { PortalBrowser } from '../harness/portal-browser.ts';

let events: EventVault;
let browser: PortalBrowser;
beforeAll(async () => {
  events = await EventVault.start();
  browser = await PortalBrowser.start(events.vault);
});
afterAll(async () => {
  await browser.stop();
  await events.stop();
});

const headersOf = (path: string) => {
  const { headers = {} } = events.receiver.at(path).at(-1) ?? {};
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
};

describe('the pages of webhooks', () => {
  it('create one, show its secret once, what was sent, and send it again', async () => {
    const { page, context, complaints, open } = await browser.signIn(events.tenant, 'ADMIN');
    await open('/portal/');
    await page.getByRole('link', { name: 'Webhooks', exact: true }).click();
    await page.getByText('No webhooks').waitFor();
    await page.getByRole('button', { name: 'New webhook' }).click();
    const form = page.getByRole('dialog');
    await form.getByLabel('Name', { exact: true }).fill('Orders');
    await form.getByLabel('Address', { exact: true }).fill(`${events.url}/portal`);
    await form.getByLabel('token.created', { exact: true }).check();
    await browser.chromium.photograph(page, 'portal-new-webhook');
    await form.getByRole('button', { name: 'Create the webhook' }).click();
    const secret = (await page.getByLabel('Signing secret', { exact: true }).textContent()) ?? '';
    expect(secret).toMatch(/^whsec_/);
    // A browser does not ask the page again when somebody presses Escape a second time.
    for (const key of ['Escape', 'Escape', 'Escape']) await page.keyboard.press(key);
    // The form may still be closing behind it.
    const secretDialog = page.getByRole('dialog', { name: 'The signing secret' });
    await secretDialog.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('alert').filter({ hasText: 'Confirm that you have copied it' }).waitFor();
    await page.evaluate('history.back()');
    await page.getByRole('dialog', { name: 'Leave without the secret?' }).waitFor();
    await page.getByRole('button', { name: 'Stay here' }).click();
    expect(await page.getByLabel('Signing secret', { exact: true }).textContent()).toBe(secret);
    await page.getByRole('button', { name: 'I have copied it' }).click();

    await events.proxy.store('seen', { containers: ['/pci/'] });
    await untilTrue(() => events.receiver.at('/portal').length > 0, { waitingFor: 'the event' });
    const [first] = events.receiver.at('/portal');
    new Webhook(secret).verify(first?.body ?? '', headersOf('/portal'));

    await page.getByRole('link', { name: 'Orders' }).click();
    await page.getByRole('button', { name: /^Resend delivery/ }).waitFor();
    expect(await page.getByRole('row').nth(1).textContent()).toContain('token.created');
    expect(await page.content()).not.toContain(secret);
    await browser.chromium.photograph(page, 'portal-webhook');
    await page.getByRole('button', { name: /^Resend delivery/ }).click();
    await untilTrue(() => events.receiver.at('/portal').length > 1, { waitingFor: 'the event again' });
    expect(new Set(events.receiver.at('/portal').map(({ headers }) => headers['webhook-id'])).size).toBe(1);

    await page.getByRole('button', { name: 'New secret' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Create it' }).click();
    const second = (await page.getByLabel('Signing secret', { exact: true }).textContent()) ?? '';
    expect(second).not.toBe(secret);
    await page.getByRole('button', { name: 'I have copied it' }).click();
    await page.getByRole('button', { name: 'Disable' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Disable it' }).click();
    await page.getByText('somebody disabled it').waitFor();
    await page.getByRole('button', { name: 'Enable' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Enable it' }).click();
    await page.getByText('enabled', { exact: true }).waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('say in the words of the vault which address it does not call', async () => {
    const { page, context, open } = await browser.signIn(events.tenant, 'ADMIN');
    await open('/portal/webhooks');
    await page.getByRole('button', { name: 'New webhook' }).click();
    const form = page.getByRole('dialog');
    await form.getByLabel('Name', { exact: true }).fill('Inside');
    await form.getByLabel('Address', { exact: true }).fill('https://169.254.169.254/');
    await form.getByLabel('token.created', { exact: true }).check();
    await form.getByRole('button', { name: 'Create the webhook' }).click();
    await form.getByText('cannot be called').first().waitFor();
    await context.close();
  });

  it('ask before a form with unsaved edits is closed, and close one without edits at once', async () => {
    const { page, context, open } = await browser.signIn(events.tenant, 'ADMIN');
    await open('/portal/');
    await page.getByRole('link', { name: 'Webhooks', exact: true }).click();
    await page.getByRole('button', { name: 'New webhook' }).click();
    await page.getByRole('dialog', { name: 'New webhook' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });

    await page.getByRole('button', { name: 'New webhook' }).click();
    const form = page.getByRole('dialog', { name: 'New webhook' });
    const question = page.getByRole('dialog', { name: 'Close without saving?' });
    await form.getByLabel('Name', { exact: true }).fill('Refunds');
    await page.keyboard.press('Escape');
    await question.waitFor();
    await page.keyboard.press('Escape');
    await question.waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
    await question.getByRole('button', { name: 'Keep editing' }).click();
    await page.evaluate('history.back()');
    await page.getByRole('dialog', { name: 'Leave without saving?' }).waitFor();
    await page.getByRole('button', { name: 'Keep editing' }).click();
    expect(await form.getByLabel('Name', { exact: true }).inputValue()).toBe('Refunds');
    for (const name of ['Close', 'Cancel']) {
      await form.getByRole('button', { name, exact: true }).click();
      await question.getByRole('button', { name: 'Keep editing' }).click();
    }
    await form.getByRole('button', { name: 'Cancel' }).click();
    await question.getByRole('button', { name: 'Close and lose the edits' }).click();
    await form.waitFor({ state: 'detached' });
    await context.close();
  });

  it('keep what somebody else changed while a form was open', async () => {
    const [one, other] = [await browser.signIn(events.tenant, 'ADMIN'), await browser.signIn(events.tenant, 'ADMIN')];
    for (const { page, open } of [one, other]) {
      await open('/portal/webhooks');
      await page.getByRole('link', { name: 'Orders' }).click();
      await page.getByRole('button', { name: 'Edit' }).click();
    }
    await other.page.getByRole('dialog').getByLabel('Address', { exact: true }).fill(`${events.url}/moved`);
    await one.page.getByRole('dialog').getByLabel('Name', { exact: true }).fill('Orders of today');
    for (const { page } of [other, one]) {
      await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
      await page.getByText('The webhook was changed').waitFor();
    }
    await one.page.getByRole('heading', { name: 'Orders of today' }).waitFor();
    await one.page.getByText(`${events.url}/moved`).waitFor();
    for (const { context } of [one, other]) await context.close();
  });

  it('let an auditor look, and change nothing', async () => {
    const { page, context, complaints, open } = await browser.signIn(events.tenant, 'READ_ONLY');
    await open('/portal/webhooks');
    expect(await page.getByRole('button', { name: 'New webhook' }).count()).toBe(0);
    await page.getByRole('link', { name: 'Orders' }).click();
    await page.getByText('token.created').first().waitFor();
    expect(await page.getByRole('button', { name: /Resend|Edit|New secret|Disable|Delete/ }).count()).toBe(0);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('delete one after its name was typed', async () => {
    const { page, context, open } = await browser.signIn(events.tenant, 'OWNER');
    await open('/portal/webhooks');
    await page.getByRole('link', { name: 'Orders' }).click();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('textbox').fill('Orders of today');
    await page.getByRole('button', { name: 'Delete the webhook' }).click();
    await page.getByText('No webhooks').waitFor();
    await context.close();
  });
});
