import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { portalAppPaths } from '../../src/features/portal/frame/sign-in-destination.ts';
import { type MemberAtBrowser, PortalBrowser } from '../harness/portal-browser.ts';
import { sealAll, signerOf } from '../harness/sealed-log.ts';
import { createApplication } from '../harness/test-application.ts';
import { type TestTenant, TestVault } from '../harness/test-vault.ts';

/**
 * What people do most, in clicks. A change of a page that makes one of these longer fails here. The seconds are those of
 * a browser without a person, and are printed only.
 */
let vault: TestVault;
let browser: PortalBrowser;
let tenant: TestTenant;
let admin: MemberAtBrowser;
let page: Page;
const measured: string[] = [];

beforeAll(async () => {
  vault = await TestVault.start();
  browser = await PortalBrowser.start(vault);
});
beforeEach(async () => {
  tenant = await vault.makeTenant();
  admin = await browser.signIn(tenant, 'ADMIN');
  ({ page } = admin);
  await page.exposeFunction('countClick', () => {
    clicks += 1;
  });
  await page.addInitScript(`addEventListener('pointerdown', () => countClick(), true)`);
});
afterAll(async () => {
  await browser.stop();
  await vault.stop();
  process.stdout.write(`${measured.join('\n')}\n`);
});

let clicks = 0;
const press = (name: string | RegExp) => page.getByRole('button', { name }).click();
const follow = (name: string | RegExp) => page.getByRole('link', { name }).first().click();

/** Makes a journey from an open page, and returns how many clicks it took. */
async function walk(name: string, from: string, steps: () => Promise<void>): Promise<number> {
  await admin.open(from);
  clicks = 0;
  const startedAt = performance.now();
  await steps();
  const seconds = (performance.now() - startedAt) / 1_000;
  measured.push(`${name}: ${clicks} clicks, ${seconds.toFixed(1)} s`);
  return clicks;
}

const card = { type: 'card', data: { number: '4242424242424242', expiration_month: 12, expiration_year: 2031 } };

describe('how long it takes', () => {
  it('to find a pasted token, who saw it and who could', async () => {
    const created = await vault.request('POST', '/tokens', { key: tenant.keys.private, body: card });
    const { id } = created.body as { id: string };
    await vault.request('GET', `/tokens/${id}`, { key: tenant.keys.reveal });
    const took = await walk('a pasted token, who saw it and who could', '/portal/', async () => {
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox').fill(id);
      await page.keyboard.press('Enter');
      await page.waitForURL(`**/portal/tokens/${id}`);
      await page.getByRole('heading', { name: 'Who saw it' }).waitFor();
      await page.getByText('plaintext').first().waitFor();
      await page.getByRole('heading', { name: 'Who can read it' }).waitFor();
    });
    expect(took).toBe(0);
  });

  it('from a new application to its first call', async () => {
    let status = 0;
    const took = await walk('a new application and its first call', '/portal/applications', async () => {
      await follow('New application');
      await page.getByLabel('Use without reading').check();
      await page.getByLabel('Name').fill('Billing');
      await press('Create the application');
      const key = (await page.getByLabel('Secret of the new key').textContent()) ?? '';
      ({ status } = await vault.request('GET', '/applications/key', { key }));
    });
    expect([took, status]).toEqual([3, 200]);
  });

  it('to change a rule', async () => {
    const rule = { description: 'See customers', priority: 1, container: '/', permissions: ['token:read'] };
    const settings = { name: 'Desk', type: 'private', permissions: [], rules: [{ ...rule, transform: 'mask' }] };
    const { id } = await createApplication(vault, tenant, settings);
    const took = await walk('a change of a rule', `/portal/applications/${id}`, async () => {
      await follow('Edit');
      await page.getByRole('group', { name: 'Rule 1' }).getByText('Plaintext', { exact: true }).click();
      await press('Save and show plaintext');
      await page.getByText('Desk saved').waitFor();
    });
    expect(took).toBe(3);
  });

  it('to rotate a key', async () => {
    const { id } = await createApplication(vault, tenant);
    const took = await walk('a rotation', `/portal/applications/${id}`, async () => {
      await follow(/^Keys/);
      await follow(/^Rotate key/);
      await press('Create the second key');
      await page.getByLabel('Secret of the new key').waitFor();
      await press('Revoke the old key');
      await page.getByRole('dialog').getByRole('button', { name: 'Revoke the key' }).click();
      await page.getByText('The rotation is complete').waitFor();
    });
    expect(took).toBe(5);
  });

  it('from the mail of an alert to its acknowledgement', async () => {
    await vault.database.owner.query(
      `insert into audit_records (tenant_id, entity_type, entity_id, operation, outcome, actor_type, details)
        select $1, 'key', k.id::text, 'alert', 'success', 'system',
          '{"rule":"misses","count":143,"from":"2026-05-04T12:00:00.000Z","minutes":10}'
        from application_keys k where k.tenant_id = $1 limit 1`,
      [tenant.id],
    );
    await sealAll(vault.database, signerOf(vault.server));
    const took = await walk('an alert, from the link in its mail', '/portal/alerts', async () => {
      await press('Acknowledge');
      await page.getByLabel('Handled: rights were changed or the key was revoked').check();
      await page.getByRole('dialog').getByRole('button', { name: 'Acknowledge' }).click();
      await page.getByText('The alert is acknowledged').waitFor();
    });
    expect(took).toBe(3);
  });

  it('to invite somebody without a mail server', async () => {
    const took = await walk('an invitation without a mail server', '/portal/members', async () => {
      await press('Invite a member');
      await page.getByLabel('E-mail address', { exact: true }).fill('new@example.com');
      await press('Create the invitation');
      await page.getByRole('dialog').getByLabel('Link of the invitation').waitFor();
    });
    expect(took).toBe(2);
  });
});

describe('opening a page', () => {
  it('adds nothing to what the log shows by default, and that is what the page of the log shows', async () => {
    const created = await vault.request('POST', '/tokens', { key: tenant.keys.private, body: card });
    const { id } = created.body as { id: string };
    const { rows } = await vault.database.owner.query<{ user: string }>(
      'select id as user from users where email = $1',
      [admin.email],
    );
    const paths = portalAppPaths.filter((path) => !path.includes('*'));
    const others = [
      '/portal/approvals',
      '/portal/exports',
      '/portal/account',
      `/portal/members/${rows[0]?.user ?? ''}`,
    ];
    const added: Record<string, number> = {};
    for (const path of [...paths, ...others, `/portal/tokens/${id}`]) {
      const before = await countShown();
      await admin.open(path);
      added[path] = (await countShown()) - before;
    }
    expect(Object.entries(added).filter(([, records]) => records > 0)).toEqual([]);
    expect(Object.keys(added).length).toBeGreaterThan(15);
    await vault.request('GET', `/tokens/${id}`, { key: tenant.keys.reveal });
    expect(await countShown()).toBeGreaterThan(0);
  });
});

/** Counts the records of the tenant that are not page views of members, as the log does by default. */
async function countShown(): Promise<number> {
  const { rows } = await vault.database.owner.query<{ total: number }>(
    `select count(*)::integer as total from audit_records where tenant_id = $1 and not (actor_type = 'user'
      and outcome = 'success' and operation in ('read', 'search') and transform is distinct from 'reveal')`,
    [tenant.id],
  );
  return rows[0]?.total ?? 0;
}

describe('what somebody saw', () => {
  it('is on the page of a member and of a key, with links to the records', async () => {
    const { body } = await vault.request('POST', '/tokens', { key: tenant.keys.private, body: card });
    const { id } = body as { id: string };
    await admin.open(`/portal/tokens/${id}`);
    await sealAll(vault.database, signerOf(vault.server));
    await admin.open('/portal/members');
    await page.getByRole('link', { name: admin.email }).click();
    await page.getByRole('heading', { name: 'What they saw and did' }).waitFor();
    const masked = page.getByRole('link', { name: /^Masked\s*\d/ });
    await masked.waitFor();
    expect(await masked.textContent()).toMatch(/^Masked[1-9]/);
    await masked.click();
    await page.waitForURL(/\/portal\/audit\?.*actor_id=.*transform=mask/);
    await page.getByRole('main').getByText('You', { exact: true }).first().waitFor();
    expect(admin.complaints).toEqual([]);
  });
});

describe('pages that the vault renders', () => {
  it('have the same navigation as those of the portal, and lead to the list of everything', async () => {
    const links = () =>
      page
        .getByRole('navigation', { name: 'Main' })
        .getByRole('link')
        .evaluateAll((all) => all.map((one) => `${one.textContent} ${one.getAttribute('href')}`));
    await admin.open('/portal/');
    const wanted = await links();
    expect(wanted.length).toBeGreaterThan(10);
    for (const path of ['/portal/approvals', '/portal/exports', '/portal/account']) {
      await page.goto(`${browser.url}${path}`);
      expect(await links()).toEqual(wanted);
      expect(await page.locator('[aria-current=page]').getAttribute('href')).toBe(path);
    }
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').waitFor();
    expect(admin.complaints).toEqual([]);
  });

  it('show the name that a user has chosen to the other members', async () => {
    await vault.database.owner.query('update user_sessions set proven_since = now() where proven_since is null');
    await page.goto(`${browser.url}/portal/account`);
    await page.getByLabel('Your name').fill('  Ada\u202E Quill ');
    await press('Save the name');
    expect(await page.getByLabel('Your name').inputValue()).toBe('Ada Quill');
    await admin.open('/portal/members');
    await page.getByRole('link', { name: 'Ada Quill' }).waitFor();
  });
});
