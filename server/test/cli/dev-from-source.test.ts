import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Chromium } from '../harness/chromium.ts';
import { untilTrue } from '../harness/deadline.ts';
import { listProcessesAt, Program } from '../harness/program.ts';
import { SourceCopy } from '../harness/source-copy.ts';

const vault = 'server/src/app/dev/development-vault.ts';

/** A program that reports readiness like the vault, and then exits. */
const dyingVault = `
const ready = { url: 'http://localhost:1', sign_in_url: 'http://localhost:1/portal/links/x', tenant_id: 'x', keys: {} };
process.stdout.write(JSON.stringify(ready) + '\\n', () => process.exit(3));
`;

let source: SourceCopy;
let program: Program;
let printed: string;
beforeAll(async () => {
  source = await SourceCopy.make();
  program = start();
  printed = await program.output('Stop with Ctrl-C.');
});
afterAll(async () => {
  await Program.killAll();
  await source.remove();
});

/** One run is used by the first cases, in order. */
describe('npm run dev', () => {
  it('shows a change of the portal in an open page, under the policy of the vault and behind its sign-in', async () => {
    const { status, headers } = await fetch(`${read('Open')}/portal/`, { redirect: 'manual' });
    expect([status, headers.get('location')]).toEqual([303, '/portal/sign-in']);

    const chromium = await Chromium.start();
    try {
      const { page, complaints } = await chromium.open();
      await page.goto(read('Sign in'));
      const [shown] = await Promise.all([
        page.waitForResponse((response) => response.url() === `${read('Open')}/portal/`),
        page.getByRole('button', { name: 'Sign in' }).click(),
      ]);
      await page.getByRole('heading', { name: 'Overview' }).waitFor();
      expect(shown.headers()['content-security-policy']).toContain(`trusted-types 'none'`);
      await source.change('portal/src/pages/overview/overview-page.tsx', 'title="Overview"', 'title="Changed"');
      await page.getByRole('heading', { name: 'Changed' }).waitFor();
      expect(complaints).toEqual([]);
    } finally {
      await chromium.stop();
    }
  });

  it('serves changed server code, and keeps keys and tokens', async () => {
    const token = { id: 'kept', type: 'token', data: 'kept data' };
    const headers = { 'bt-api-key': read('reveal'), 'content-type': 'application/json' };
    const stored = await fetch(`${read('Open')}/tokens`, { method: 'POST', headers, body: JSON.stringify(token) });
    expect(stored.status).toBe(201);
    await source.change('server/src/http/pages/landing-page.ts', 'This is a vault.', 'This is a changed vault.');
    await untilShown('/', 'This is a changed vault.');
    const found = await fetch(`${read('Open')}/tokens/kept`, { headers });
    expect(await found.json()).toMatchObject(token);
  });

  it('reports where a mistake is, and continues with the next change, here together with one of the shop', async () => {
    await source.change(vault, 'export class', 'export clas');
    const said = await program.output('Waiting for a change.');
    expect(said).toMatch(/development-vault\.ts:\d+\n/);
    expect((await fetch(read('Open'))).status).toBe(503);
    await source.change(vault, 'export clas', 'export class');
    await source.change('elements/demo/index.html', 'Stoneware mug', 'Tin mug');
    await untilShown('/shop', 'Tin mug');
  });

  it('ends with Ctrl-C, and leaves nothing running', async () => {
    expect(await program.stop('SIGINT')).toMatchObject({ code: 0 });
    expect(await listProcessesAt(source.folder)).toEqual([]);
  });

  it('ends when the vault dies, and reports it', async () => {
    await writeFile(path.join(source.folder, 'server/src/main.ts'), dyingVault);
    expect(await start().exit()).toMatchObject({ code: 1, stderr: 'The vault ended with code 3.\n' });
  });
});

function start(): Program {
  // By default, the compiled copies would stay in the checkout.
  const environment = { NODE_COMPILE_CACHE: path.join(source.folder, 'compile-cache') };
  return Program.start(['--port', '0'], environment, path.join(source.folder, 'scripts/dev/main.mjs'));
}

/** Returns an address or a key from the output at the start. */
function read(name: string): string {
  return new RegExp(`^ +${name} +(\\S+)`, 'm').exec(printed)?.[1] ?? '';
}

async function untilShown(page: string, text: string): Promise<void> {
  const isShown = async () => {
    // The shop may stop between the redirect and the request that follows it.
    const response = await fetch(`${read('Open')}${page}`).catch(() => undefined);
    return (await response?.text())?.includes(text) === true;
  };
  await untilTrue(isShown, { waitingFor: `"${text}" at ${page}` });
}
