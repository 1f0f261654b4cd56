import { randomInt, randomUUID } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkReceipt } from '../../src/features/retention/index.ts';
import { generateRootKey, parseRootKey } from '../../src/platform/keyring/kms/file/file-root-key.ts';
import { CanaryScanner } from '../harness/canary-scanner.ts';
import { ClientLoad } from '../harness/client-load.ts';
import { untilTrue } from '../harness/deadline.ts';
import { TestErasures } from '../harness/erasures.ts';
import { Program } from '../harness/program.ts';
import { sealAll, signerOf } from '../harness/sealed-log.ts';
import { type TestTenant, TestVault } from '../harness/test-vault.ts';

/** `npm run test:erasures` runs the long form: 10,000 changes, 100,000 tokens and fifty kills. */
const changes = Number(process.env['ERASURE_CHANGES'] ?? 300);
const tokens = Number(process.env['ERASURE_TOKENS'] ?? 3_000);
const kills = Number(process.env['ERASURE_KILLS'] ?? 4);
const rootKey = generateRootKey();
const main = fileURLToPath(new URL('../harness/erasure-worker.ts', import.meta.url));

let vault: TestVault;
beforeAll(async () => {
  vault = await TestVault.start(parseRootKey(rootKey));
});
afterAll(async () => {
  await Program.killAll();
  await vault.stop();
});

const publicKey = () => signerOf(vault.server).publicKey;
const canary = (name: string) => ({ name, text: `canary-${name}-${randomUUID()}` });
const tokenize = async (tenant: TestTenant, bodies: readonly object[]) => {
  const answer = await vault.request('POST', '/tokenize', { key: tenant.keys.private, body: bodies });
  if (answer.status !== 200) throw new Error(`Nothing was stored: ${answer.text}`);
  return (answer.body as { id: string }[]).map(({ id }) => id);
};

describe('a receipt', () => {
  it(`is refused with any byte changed, added or removed, in ${changes} random ways`, {
    timeout: 60_000 + changes * 60,
  }, async () => {
    const tenant = await vault.makeTenant();
    const erasures = new TestErasures(vault, tenant);
    const body = { type: 'token', data: 'x', metadata: { customer: 'c-1' } };
    for (let n = 0; n < 3; n += 1) {
      await tokenize(tenant, [body, body, body, body]);
      await tokenize(tenant, [{ type: 'token', data: 'y' }]);
      await sealAll(vault.database, signerOf(vault.server));
    }
    const { id } = await erasures.begin({ metadata: { customer: 'c-1' } });
    await erasures.run();
    const file = await erasures.receipt(id);
    expect((await checkReceipt(file, publicKey())).head).toMatchObject({ tokens: 12 });
    const right = await readFile(file);
    const accepted: string[] = [];
    for (let n = 0; n < changes; n += 1) {
      const { what, bytes } = changed(right, n);
      await writeFile(file, bytes);
      const { problem } = await checkReceipt(file, publicKey());
      if (problem === undefined) accepted.push(what);
    }
    expect(accepted).toEqual([]);
    await rm(file);
  });

  it('contains no value, no metadata and no secret', async () => {
    const tenant = await vault.makeTenant();
    const erasures = new TestErasures(vault, tenant);
    const values = [canary('data'), canary('metadata'), canary('index')] as const;
    const [data, metadata, index] = values;
    await tokenize(tenant, [
      { type: 'token', data: data.text, metadata: { customer: metadata.text } },
      {
        type: 'token',
        data: { value: index.text },
        metadata: { customer: metadata.text },
        search_indexes: ['{{ data.value }}'],
        mask: { value: '{{ data.value }}' },
      },
    ]);
    const { id } = await erasures.begin({ metadata: { customer: metadata.text } });
    await erasures.run();
    const file = await erasures.receipt(id);
    const secrets = [
      ...Object.entries(tenant.keys).map(([name, text]) => ({ name, text })),
      { name: 'root', text: rootKey },
    ];
    const scanner = new CanaryScanner(
      [...values, ...secrets].map(({ name, text }) => ({ name, bytes: Buffer.from(text.toLowerCase()) })),
    );
    const receipt = await readFile(file, 'utf8');
    expect(receipt.length).toBeGreaterThan(1_000);
    expect(scanner.scan(Buffer.from(receipt.toLowerCase()))).toEqual([]);
    expect(scanner.scan(Buffer.from(`x${metadata.text}`))).not.toEqual([]);
    await rm(file);
  });
});

describe(`an erasure of ${tokens} tokens under load`, () => {
  it(`has a receipt that is true to the row after ${kills} kills of its worker`, {
    timeout: 120_000 + tokens * 20 + kills * 20_000,
  }, async () => {
    const tenant = await vault.makeTenant();
    const erasures = new TestErasures(vault, tenant);
    const wanted: string[] = [];
    for (let from = 0; from < tokens; from += 500) {
      const count = Math.min(500, tokens - from);
      const bodies = Array.from({ length: count }, (_, n) => ({
        type: 'token',
        data: `value ${from + n}`,
        metadata: { customer: 'c-1' },
      }));
      wanted.push(...(await tokenize(tenant, bodies)));
    }
    const load = new ClientLoad({ url: vault.server.url, key: tenant.keys.private });
    const { id } = await erasures.begin({ metadata: { customer: 'c-1' } });
    const removed = async () => (await erasures.get(id)).removed_tokens;
    const stoppedAt: number[] = [];
    for (let kill = 0; kill < kills; kill += 1) {
      const before = await removed();
      const [first, second] = [work(), work()];
      await untilTrue(async () => (await removed()) > before || (await isOver(erasures, id)), {
        waitingFor: 'a batch',
      });
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 150));
      for (const worker of [first, second]) worker.signal('SIGKILL');
      await Promise.all([first.exit(), second.exit()]);
      stoppedAt.push(await removed());
    }
    const last = work();
    await untilTrue(
      async () => {
        await sealAll(vault.database, signerOf(vault.server));
        return isOver(erasures, id);
      },
      { waitingFor: 'the receipt' },
    );
    last.signal('SIGKILL');
    await last.exit();
    const { succeeded } = await load.stop();
    expect([load.failures, succeeded > 0]).toEqual([[], true]);
    expect(new Set(stoppedAt).size).toBeGreaterThan(1);

    const file = await erasures.receipt(id);
    const verdict = await checkReceipt(file, publicKey());
    expect(verdict).toMatchObject({ problem: undefined, head: { tokens } });
    const lines = (await readFile(file, 'utf8')).trimEnd().split('\n').slice(3);
    const listed = lines.map((line) => (JSON.parse(line) as unknown[])[6] as string);
    expect(listed.toSorted()).toEqual(wanted.toSorted());
    const { rows } = await vault.database.owner.query<{ left: number; kept: number; counted: number }>(
      `select (select count(*) from tokens where tenant_id = $1 and metadata is not null)::int as left,
          (select count(*) from tokens where tenant_id = $1)::int as kept,
          (select sum(tokens) from token_counts where tenant_id = $1)::int as counted`,
      [tenant.id],
    );
    expect([rows[0]?.left, rows[0]?.kept === rows[0]?.counted]).toEqual([0, true]);
    await rm(file);
  });
});

async function isOver(erasures: TestErasures, id: string): Promise<boolean> {
  return (await erasures.get(id)).status === 'finished';
}

function work(): Program {
  const settings = { STRONGROOM_DATABASE_URL: vault.database.url, STRONGROOM_ROOT_KEY: rootKey };
  return Program.start([], settings, main);
}

/** Returns the bytes with one of them changed, added or removed, or with another line order. */
function changed(right: Buffer, n: number): { what: string; bytes: Buffer } {
  const at = randomInt(right.length);
  if (n % 20 === 0)
    return { what: `removed ${at}`, bytes: Buffer.concat([right.subarray(0, at), right.subarray(at + 1)]) };
  if (n % 20 === 1) {
    const bytes = Buffer.concat([right.subarray(0, at), Buffer.of(randomInt(256)), right.subarray(at)]);
    return { what: `added ${at}`, bytes };
  }
  if (n % 20 === 2) {
    const lines = right.toString('utf8').split('\n');
    const [one = '', two = ''] = [lines[3], lines[4]];
    lines.splice(3, 2, two, one);
    return { what: 'swapped', bytes: Buffer.from(lines.join('\n')) };
  }
  const bytes = Buffer.from(right);
  bytes[at] = ((bytes[at] ?? 0) + 1 + randomInt(255)) % 256;
  return { what: `changed ${at}`, bytes };
}
