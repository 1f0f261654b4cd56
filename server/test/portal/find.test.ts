import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type MemberAtBrowser, PortalBrowser, settled } from '../harness/portal-browser.ts';
import { sealAll, signerOf } from '../harness/sealed-log.ts';
import { type TestTenant, TestVault } from '../harness/test-vault.ts';

let vault: TestVault;
let tenant: TestTenant;
let browser: PortalBrowser;
let admin: MemberAtBrowser;
let cardId: string;

beforeAll(async () => {
  vault = await TestVault.start();
  tenant = await vault.makeTenant();
  browser = await PortalBrowser.start(vault);
  const card = {
    type: 'card',
    data: { number: '4242424242424242', expiration_month: 12, expiration_year: 2031 },
    metadata: { order: 'A-77' },
  };
  const created = await vault.request('POST', '/tokens', { key: tenant.keys.private, body: card });
  cardId = (created.body as { id: string }).id;
  admin = await browser.signIn(tenant, 'ADMIN');
});
afterAll(async () => {
  await browser.stop();
  await vault.stop();
});

const rowsOf = () => admin.page.getByRole('table').getByRole('row').filter({ hasText: '4242' });

describe('pasted into the search of tokens', () => {
  it.each([
    ['a metadata value', 'A-77'],
    ['last four digits', '•••• 4242'],
    ['a fingerprint', 'fingerprint'],
    ['an id', 'id'],
  ])('%s finds the token, and the page says what it tried', async (_what, text) => {
    const { page, open } = admin;
    const token = await vault.request('GET', `/tokens/${cardId}`, { key: tenant.keys.private });
    const known: Record<string, string> = {
      id: cardId,
      fingerprint: (token.body as { fingerprint: string }).fingerprint,
    };
    await open('/portal/tokens');
    await page.getByRole('searchbox', { name: 'Search' }).fill(known[text] ?? text);
    await page.keyboard.press('Enter');
    await page.getByText(/^Read as an id/).waitFor();
    await expect.poll(() => rowsOf().count()).toBe(1);
    expect(page.url().includes('query=')).toBe(text === 'id');
  });

  it('a value that no token has finds nothing, and stays out of address, history and storage', async () => {
    const { page, open } = admin;
    await open('/portal/tokens');
    await page.getByRole('searchbox', { name: 'Search' }).fill('ada@example.com');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'No token matches' }).waitFor();
    const kept = await page.evaluate<string>(
      `location.href + JSON.stringify([history.state, { ...localStorage }, { ...sessionStorage }])`,
    );
    expect(kept).not.toContain('ada');
    // A later visit starts with an empty search.
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
    await page.getByRole('link', { name: 'Tokens', exact: true }).click();
    await settled(page);
    await expect.poll(() => page.getByRole('searchbox', { name: 'Search' }).inputValue()).toBe('');
  });

  it.each([
    ['tokens', 'textbox', 'Metadata', 'customer=4242 4242 4242 4242'],
    ['tokens', 'textbox', 'Container', '/4242424242424242/'],
    ['simulator', 'textbox', 'Token or container', '4242424242424242'],
    ['applications', 'searchbox', 'Search by name or id', '4242 4242 4242 4242 12/31'],
    ['audit', 'searchbox', 'Id', '4242 4242 4242 4242 12/31'],
  ] as const)('a card number in a filter stays out of the address: %s, %s %s', async (at, role, name, text) => {
    const { page, open } = admin;
    await open(`/portal/${at}`);
    await page.getByRole(role, { name, exact: true }).fill(text);
    await page.keyboard.press('Enter');
    await page.getByRole('alert').filter({ hasText: 'This looks like a card number' }).waitFor();
    const kept = await page.evaluate<string>(
      `location.href + JSON.stringify([history.state, { ...localStorage }, { ...sessionStorage }])`,
    );
    expect(kept.replaceAll(/[+\s]|%20/g, '')).not.toContain('42424242');
  });

  it('digits that are typed one by one stay out of the address before they are a card number, and still filter', async () => {
    const { page, open } = admin;
    await open('/portal/applications');
    const box = page.getByRole('searchbox', { name: 'Search by name or id', exact: true });
    const addresses = new Set<string>();
    page.on('framenavigated', (frame) => addresses.add(frame.url()));
    await box.pressSequentially('reve');
    await page.waitForURL('**/portal/applications?query=reve');
    await box.fill('');
    for (const digit of '424242424242425') {
      await box.press(digit);
      addresses.add(page.url());
    }
    await page.getByRole('heading', { name: 'No application matches' }).waitFor();
    await page.waitForURL((url) => url.search === '');
    expect([...addresses].filter((address) => /\d{9}/.test(new URL(address).search))).toEqual([]);
    await page.getByRole('link', { name: 'Show all applications' }).click();
    await page.getByRole('link', { name: 'reveal', exact: true }).waitFor();
    expect(await box.inputValue()).toBe('');
  });

  it('a query with a mistake shows what the vault says about it', async () => {
    const { page, open } = admin;
    await open('/portal/tokens');
    await page.getByRole('searchbox', { name: 'Search' }).fill('type:card AND');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').filter({ hasText: 'at offset' }).waitFor();
  });
});

describe('Ctrl K', () => {
  it('goes anywhere without a mouse, and finds what is pasted', async () => {
    const { page, open, complaints } = admin;
    await open('/portal/encryption-keys');
    await page.keyboard.press('Control+k');
    const box = page.getByRole('combobox', { name: 'Find anything' });
    await box.pressSequentially('simul');
    expect(await page.getByRole('option', { selected: true }).textContent()).toBe('Simulator');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/portal/simulator');
    await page.keyboard.press('Control+k');
    await box.fill(cardId);
    await page.getByRole('option', { name: 'Open the token with this id' }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/portal/tokens/${cardId}`);
    await page.keyboard.press('Control+k');
    await page.keyboard.press('Escape');
    await expect.poll(() => box.count()).toBe(0);
    expect(complaints.filter((one) => !one.includes('status of 400'))).toEqual([]);
  });

  it('finds a name of an application', async () => {
    const { page, open } = admin;
    await open('/portal/');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Find anything' }).fill('reveal');
    await page.getByRole('option', { name: 'reveal', exact: true }).click();
    await page.waitForURL('**/portal/applications/*');
  });
});

describe('the audit log', () => {
  it('shows no page views of members unless asked, however many pages are opened', async () => {
    const { page, open } = admin;
    const records = page.getByRole('group', { name: 'Audit records' }).locator('li');
    await open('/portal/audit');
    const before = await records.count();
    for (const path of ['/portal/', '/portal/tokens', `/portal/tokens/${cardId}`, '/portal/members']) await open(path);
    await open('/portal/audit');
    expect(await records.count()).toBeLessThanOrEqual(before);
    await page.getByRole('button', { name: 'Show page views of members' }).click();
    await page
      .getByText(/looked at pages/)
      .first()
      .waitFor();
  });

  it('says in one line that members looked at a token', async () => {
    const { page, open } = admin;
    for (let view = 0; view < 3; view += 1) await open(`/portal/tokens/${cardId}`);
    await page.getByText(/1 member looked at it \d+ times, masked/).waitFor();
  });

  it('leaves out what somebody leaves out, and counts the rest', async () => {
    const { page, open } = admin;
    await sealAll(vault.database, signerOf(vault.server));
    await open('/portal/audit');
    const facets = page.getByRole('complementary', { name: 'Filter by' });
    await facets.getByRole('button', { name: 'Leave out create' }).click();
    await page.getByRole('button', { name: 'Remove: Did: not create' }).waitFor();
    await settled(page);
    expect(await facets.getByRole('button', { name: 'Leave out create' }).count()).toBe(0);
    expect(await page.getByRole('group', { name: 'Audit records' }).getByText('stored a card').count()).toBe(0);
  });
});

describe('work is not lost', () => {
  const form =
    '/portal/applications/create?name=Shop+API&type=private&permissions=token%3Acreate&permissions=token%3Aread';

  it('a link of the original fills in a form, which asks before it is left', async () => {
    const { page, open } = admin;
    await open(form);
    expect(page.url()).toContain('/portal/applications/new?');
    expect(await page.getByLabel('Name').first().inputValue()).toBe('Shop API');
    // People who follow a link did not choose what the application may do.
    await page.getByText('A link has filled in the name, the type, and the permissions.').waitFor();
    await page.getByLabel('Name').first().fill('Shop API 2');
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByRole('dialog', { name: 'Leave without saving?' }).waitFor();
    await page.getByRole('button', { name: 'Keep editing' }).click();
    expect(await page.getByLabel('Name').first().inputValue()).toBe('Shop API 2');
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByRole('button', { name: 'Leave and lose the edits' }).click();
    await page.waitForURL('**/portal/');
  });

  it('a form that no link has filled in does not say so', async () => {
    const { page, open } = admin;
    await open('/portal/applications/new');
    await page.getByRole('button', { name: 'Create the application' }).waitFor();
    expect(await page.getByText('A link has filled in').count()).toBe(0);
  });

  it('when the network is lost, the page says so, keeps what it shows, and goes on when it is back', async () => {
    const { page, open, context } = admin;
    await open('/portal/members');
    await context.setOffline(true);
    await page.getByRole('link', { name: 'Tokens', exact: true }).click();
    const notice = page.getByRole('alert').filter({ hasText: 'What you see may be old' });
    await notice.waitFor();
    await context.setOffline(false);
    await expect.poll(() => notice.count()).toBe(0);
  });

  it('a filter survives the deletion of a token', async () => {
    const { page, open } = admin;
    const body = { type: 'token', data: 'x', metadata: { order: 'A-78' } };
    await vault.request('POST', '/tokens', { key: tenant.keys.private, body });
    await open('/portal/tokens?type=token&metadata=order%3DA-78');
    await page.getByRole('table').getByRole('link').first().click();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete the token' }).click();
    await page.waitForURL('**/portal/tokens?type=token&metadata=order%3DA-78');
  });
});
