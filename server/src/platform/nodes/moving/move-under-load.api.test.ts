import { afterAll, beforeAll, expect, it } from 'vitest';
import { listDisorder, settingsOf } from '../../../../test/harness/node-inventory.ts';
import { Program } from '../../../../test/harness/program.ts';
import { type TestTenant, TestVault } from '../../../../test/harness/test-vault.ts';
import { TokenEndpoints, tokenOf } from '../../../../test/harness/token-endpoints.ts';

const stillTokens = 40;
const clients = 6;

let vault: TestVault;
let other: { readonly url: string };
/** Whose tokens nobody changes. */
let still: TestTenant;
let busy: TestTenant[];
let stillIds: string[];

beforeAll(async () => {
  vault = await TestVault.start(undefined, { nodes: 2 });
  other = await vault.startAnother();
  still = await vault.makeTenant();
  busy = [await vault.makeTenant(), await vault.makeTenant()];
  const tokens = new TokenEndpoints(vault, still.keys.reveal);
  const made = Array.from({ length: stillTokens }, (_, index) =>
    tokens.make({ ...bodyOf(index, 0), containers: [`/still-${index % 3}/`] }),
  );
  stillIds = (await Promise.all(made)).map(({ id }) => id);
});
afterAll(async () => {
  await Program.killAll();
  await vault.stop();
});

const bodyOf = (name: number, version: number) => ({
  type: 'card',
  data: { number: '4242424242424242', expiration_month: 12, expiration_year: 2050, cvc: String(100 + version) },
  metadata: { name: `n${name}`, version: String(version) },
  search_indexes: ['{{ data.number | last4 }}'],
});

interface Known {
  readonly name: number;
  version: number;
}

/** One who writes, and knows what it wrote: everything that is not as expected goes into `complaints`. */
class Client {
  readonly known = new Map<string, Known>();
  readonly complaints: string[] = [];
  requests = 0;
  readonly #tokens: TokenEndpoints;
  readonly #key: string;
  readonly #number: number;

  constructor(tenant: TestTenant, number: number) {
    this.#key = tenant.keys.reveal;
    this.#tokens = new TokenEndpoints(vault, tenant.keys.reveal);
    this.#number = number;
  }

  async work(isOver: () => boolean): Promise<void> {
    for (let round = 0; !isOver(); round += 1) {
      await this.#create(this.#number * 1_000_000 + round);
      if (round % 4 === 0) await this.#createTogether();
      await this.#readSome(3);
      if (round % 2 === 0) await this.#update();
      if (round % 3 === 0) await this.#delete();
    }
  }

  async readAll(): Promise<void> {
    for (const [id, known] of this.known) await this.#read(id, known);
  }

  get #options() {
    this.requests += 1;
    return { url: this.requests % 2 === 0 ? vault.server.url : other.url };
  }

  async #create(name: number): Promise<void> {
    const answer = await this.#tokens.create(bodyOf(name, 0), this.#options);
    if (this.#expect('create', answer.status, 201)) this.known.set(tokenOf(answer).id, { name, version: 0 });
  }

  /** They lie in one place, which may move while they are written. */
  async #createTogether(): Promise<void> {
    const names = [1, 2, 3].map((part) => this.#number * 1_000_000 + 500_000 + this.requests + part / 10);
    const body = Object.fromEntries(names.map((name) => [name, bodyOf(name, 0)]));
    const { url } = this.#options;
    const answer = await vault.request('POST', '/tokenize', { key: this.#key, url, body });
    if (!this.#expect('tokenize', answer.status, 200)) return;
    const made = answer.body as Record<string, { id: string }>;
    for (const name of names) this.known.set(made[name]?.id ?? '', { name, version: 0 });
  }

  async #readSome(count: number): Promise<void> {
    const all = [...this.known];
    for (let time = 0; time < count; time += 1) {
      const one = all[Math.floor(Math.random() * all.length)];
      if (one !== undefined) await this.#read(...one);
    }
  }

  async #read(id: string, { name, version }: Known): Promise<void> {
    const answer = await this.#tokens.get(id, this.#options);
    if (!this.#expect('read', answer.status, 200)) return;
    const { data, metadata } = answer.body as { data: unknown; metadata: unknown };
    const { data: wantedData, metadata: wantedMetadata } = bodyOf(name, version);
    this.#expect('value', JSON.stringify([data, metadata]), JSON.stringify([wantedData, wantedMetadata]));
  }

  async #update(): Promise<void> {
    const [id, known] = [...this.known].at(-1) ?? [];
    if (id === undefined || known === undefined) return;
    const { metadata, data } = bodyOf(known.name, known.version + 1);
    const body = { metadata, data: { cvc: data.cvc }, containers: [`/of-${this.#number}/${known.version % 3}/`] };
    const answer = await this.#tokens.patch(id, body, this.#options);
    if (this.#expect('update', answer.status, 200)) known.version += 1;
  }

  async #delete(): Promise<void> {
    const [id] = [...this.known.keys()];
    if (id === undefined) return;
    this.known.delete(id);
    this.#expect('delete', (await this.#tokens.delete(id, this.#options)).status, 204);
    this.#expect('read of what was deleted', (await this.#tokens.get(id, this.#options)).status, 404);
  }

  #expect(what: string, found: unknown, wanted: unknown): boolean {
    if (found !== wanted) this.complaints.push(`${what}: ${String(found)} instead of ${String(wanted)}`);
    return found === wanted;
  }
}

interface Page {
  readonly pagination: { readonly total_items: number };
  readonly data: readonly { readonly id: string }[];
}

/** Looks at tokens that nobody changes, in every way that there is to look at them. */
async function watchStill(isOver: () => boolean): Promise<{ complaints: string[]; looks: number }> {
  const complaints: string[] = [];
  const wanted = stillIds.toSorted().join();
  let looks = 0;
  const key = still.keys.reveal;
  for (; !isOver(); looks += 1) {
    const url = looks % 2 === 0 ? vault.server.url : other.url;
    const containers = [0, 1, 2].map((shelf) => `container=/still-${shelf}/`).join('&');
    const answers = [
      await vault.request('GET', '/tokens?size=100', { key, url }),
      await vault.request('GET', `/tokens?size=100&${containers}`, { key, url }),
      await vault.request('POST', '/tokens/search', { key, url, body: { query: 'data:4242', size: 100 } }),
    ];
    for (const [index, { status, body }] of answers.entries()) {
      if (status !== 200) {
        complaints.push(`list ${index}: ${status}`);
        continue;
      }
      const { pagination, data } = body as Page;
      if (pagination.total_items !== stillTokens) complaints.push(`total ${index}: ${pagination.total_items}`);
      const found = data
        .map(({ id }) => id)
        .toSorted()
        .join();
      if (found !== wanted) complaints.push(`page ${index} has ${data.length} tokens`);
    }
  }
  return { complaints, looks };
}

it('is not noticed by anybody who creates, reads, updates, deletes, lists and searches meanwhile', async () => {
  let isOver = false;
  const all = Array.from({ length: clients }, (_, number) => new Client(busy[number % busy.length] ?? still, number));
  const working = Promise.all(all.map((client) => client.work(() => isOver)));
  const watching = watchStill(() => isOver);
  const gaps: number[] = [];
  try {
    for (const [from, to, drawers] of [
      ['node-1', 'node-2', '1000'],
      ['node-2', 'home', '3000'],
      ['home', 'node-1', '1500'],
      ['node-1', 'home', '2548'],
      ['home', 'node-2', '4048'],
    ] as const) {
      const command = ['nodes', 'move', '--from', from, '--to', to, '--drawers', drawers, '--json'];
      const { code, stdout, stderr } = await Program.run(command, settingsOf(vault));
      expect({ code, stderr }).toMatchObject({ code: 0 });
      gaps.push((JSON.parse(stdout) as { gap_ms: number }).gap_ms);
    }
  } finally {
    isOver = true;
  }
  await working;
  const { complaints, looks } = await watching;
  expect([...complaints, ...all.flatMap((client) => client.complaints)]).toEqual([]);
  expect(Math.min(looks, ...all.map((client) => client.requests))).toBeGreaterThan(0);
  // Servers wait for five seconds, and the machine may be slow.
  expect(Math.max(...gaps)).toBeLessThan(5_000);
  await Promise.all(all.map((client) => client.readAll()));
  expect(all.flatMap((client) => client.complaints)).toEqual([]);
  expect(await listDisorder(vault)).toEqual([]);

  for (const [place, { keys }] of busy.entries()) {
    const mine = all.filter((_, number) => number % busy.length === place);
    const answer = await vault.request('GET', '/tokens?size=1', { key: keys.reveal });
    const known = mine.reduce((sum, client) => sum + client.known.size, 0);
    expect((answer.body as Page).pagination.total_items).toBe(known);
  }
});
