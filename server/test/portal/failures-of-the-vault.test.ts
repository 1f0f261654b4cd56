import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { untilTrue } from '../harness/deadline.ts';
import { AwsKmsEndpoint } from '../harness/key-services/aws-kms-endpoint.ts';
import { PortalBrowser } from '../harness/portal-browser.ts';
import { type TestTenant, TestVault } from '../harness/test-vault.ts';

// Members cannot mend these failures, but they learn of them, and whom to ask.

let kms: AwsKmsEndpoint;
let vault: TestVault;
let tenant: TestTenant;
let neighbour: TestTenant;
let browser: PortalBrowser;
beforeAll(async () => {
  kms = await AwsKmsEndpoint.start();
  const keys = new Map([['acme', { kind: 'aws-kms', open: () => kms.open() }]]);
  vault = await TestVault.start(undefined, { ownRootKeys: { keys, graceSeconds: 10 } });
  [tenant, neighbour] = [await vault.makeTenant('test', 'acme'), await vault.makeTenant()];
  browser = await PortalBrowser.start(vault);
});
afterAll(async () => {
  await browser.stop();
  await vault.stop();
  await kms.stop();
});

describe('a job that failed at every attempt', () => {
  it('is named on the overview of its tenant, with the command that retries it, and on no other', async () => {
    await vault.database.owner.query(
      `insert into pgboss.job_common (name, data, source_name, source_id, source_retry_count, keep_until)
        values ('dead-letters', json_build_object('tenant_id', $1::text), 'deliver-webhook', gen_random_uuid(), 100, now() + interval '1 year')`,
      [tenant.id],
    );
    const { page, open, complaints } = await browser.signIn(tenant, 'READ_ONLY');
    await open('/portal/');
    const row = page.getByText('Delivering events to a webhook failed at every attempt');
    await row.waitFor();
    expect(await row.textContent()).toContain('strongroom jobs retry --task deliver-webhook');
    expect(complaints).toEqual([]);

    const other = await browser.signIn(neighbour, 'OWNER');
    await other.open('/portal/');
    expect(await other.page.getByText('failed at every attempt').count()).toBe(0);
  });
});

describe("a tenant's own root key that is disabled", () => {
  it('says so on the page of keys, with the reason and the time that is left', async () => {
    const { page, open, complaints } = await browser.signIn(tenant, 'READ_ONLY');
    await open('/portal/encryption-keys');
    await page.getByText('It belongs to your organisation.').waitFor();
    expect(await page.getByText('Works', { exact: true }).count()).toBe(1);
    kms.troubles.disabled();
    // The vault asks the key when the page is opened, unless it worked within the last ten seconds.
    await untilTrue(
      async () => {
        await open('/portal/encryption-keys');
        return (await page.getByText('Does not work', { exact: true }).count()) === 1;
      },
      { waitingFor: 'the page to show the outage' },
    );
    await page.getByText('It is disabled.').waitFor();
    kms.recover();
    // The page looks again by itself.
    await page.getByText('Works', { exact: true }).waitFor();
    expect(complaints).toEqual([]);
  });
});
