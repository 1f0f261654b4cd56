import { get } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { FourEyesTenant } from '../harness/four-eyes.ts';
import { times } from '../harness/heavy-requests.ts';
import { slownessOfMachine } from '../harness/machine-speed.ts';
import { TestVault } from '../harness/test-vault.ts';
import { TurnMeter } from '../harness/turn-meter.ts';

/**
 * Previously, the page of approvals was rendered in one turn. With 200 large requests, that took 662 ms and produced 48
 * MB.
 */
let vault: TestVault;
let here: FourEyesTenant;
const meter = new TurnMeter();
beforeAll(async () => {
  vault = await TestVault.start();
  here = await FourEyesTenant.make(vault);
});
afterAll(() => vault.stop());

const permissions = ['token:read', 'token:search', 'token:create', 'token:update', 'token:delete', 'token:use'];
const rules = (name: string) =>
  times(100, (priority) => {
    const container = `/${name}-${priority}-${'c'.repeat(380)}/`;
    return { description: '', priority, container, transform: 'reveal', permissions };
  });

it('shows very many large requests in pages, each in short turns, and every request on one of them', async () => {
  for (const name of times(25, (index) => `k${index}`)) {
    const { status } = await here.byKey('POST', '/applications', { name, type: 'private', rules: rules(name) });
    expect(status).toBe(202);
  }
  const first = await measure('/portal/approvals');
  const second = await measure('/portal/approvals?page=2');
  expect(first.text).toContain('/portal/approvals?page=2');
  expect(second.text).not.toContain('/portal/approvals?page=3');
  const countIn = ({ text }: { text: string }) => text.split('<article>').length - 1;
  expect([countIn(first), countIn(second)]).toEqual([20, 5]);
  expect(Math.min(first.longestMs, (await measure('/portal/approvals')).longestMs)).toBeLessThan(
    50 * slownessOfMachine(),
  );
});

/*
 * Previously, the sentence about each rule named all destinations. A page of 20 requests took up 50 MB, and each
 * request was rendered in one turn.
 */
it('names the destinations of a request once, however many rules use them', async () => {
  const allowed_destinations = times(100, (index) => `d${index}.${`${'d'.repeat(60)}.`.repeat(4)}example`.slice(-250));
  for (const name of times(20, (index) => `u${index}`)) {
    const using = rules(name).map((rule) => ({
      ...rule,
      container: `/${name}/${rule.priority}/`,
      permissions: ['token:use'],
    }));
    const body = { name, type: 'private', rules: using, allowed_destinations };
    expect((await here.byKey('POST', '/applications', body)).status).toBe(202);
  }
  const { text, longestMs } = await measure('/portal/approvals');
  for (const destination of allowed_destinations) expect(text).toContain(destination);
  expect(text.length).toBeLessThan(5_000_000);
  expect(Math.min(longestMs, (await measure('/portal/approvals')).longestMs)).toBeLessThan(50 * slownessOfMachine());
});

/** The response is assembled after the measurement, because the vault runs in this process. */
async function measure(path: string): Promise<{ text: string; longestMs: number }> {
  const cookie = [...here.people[0].visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const chunks: Buffer[] = [];
  meter.begin();
  await new Promise<void>((resolve, reject) => {
    get(`${vault.server.url}${path}`, { headers: { cookie } }, (response) => {
      response
        .on('data', (chunk: Buffer) => chunks.push(chunk))
        .on('end', resolve)
        .on('error', reject);
    }).on('error', reject);
  });
  const { longestMs } = meter.end();
  return { text: Buffer.concat(chunks).toString('utf8'), longestMs };
}
