import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listDisorder, ownedNodes } from '../../../../test/harness/node-inventory.ts';
import { type TestTenant, TestVault } from '../../../../test/harness/test-vault.ts';
import { DrawerMoving, type EndedMove } from './drawer-moving.ts';
import type { MoveStep, MoveWatch } from './drawer-mover.ts';

let vault: TestVault;
let tenants: TestTenant[];
/** Responses for every token, by its path. */
let shown: Map<string, string>;

beforeAll(async () => {
  vault = await TestVault.start(undefined, { nodes: 2 });
  tenants = [await vault.makeTenant(), await vault.makeTenant()];
  for (const [place, { keys }] of tenants.entries()) {
    for (let number = 0; number < 15; number += 1) await create(keys.reveal, `${place}${number}`);
  }
  shown = await showAll();
});
afterAll(() => vault.stop());

const cardNumber = '4242424242424242';
const bodyOf = (name: string) => ({
  type: 'card',
  data: { number: cardNumber, expiration_month: 12, expiration_year: 2050, cvc: `9${name.slice(-1)}7` },
  metadata: { name, kind: 'moved' },
  search_indexes: ['{{ data.number | last4 }}'],
  containers: [`/shelf-${name.slice(-1)}/`],
});

async function create(key: string, name: string): Promise<string> {
  const answer = await vault.request('POST', '/tokens', { key, body: bodyOf(name) });
  expect(answer.status).toBe(201);
  return (answer.body as { id: string }).id;
}

interface Page {
  readonly pagination: { readonly total_items: number };
  readonly data: readonly { readonly id: string }[];
}

/** Every token as lists and reads show it, with the totals of lists and searches. */
async function showAll(url = vault.server.url): Promise<Map<string, string>> {
  const all = new Map<string, string>();
  for (const { id: tenantId, keys } of tenants) {
    const answer = await vault.request('GET', '/tokens?size=100', { key: keys.reveal, url });
    const found = await vault.request('POST', '/tokens/search', {
      key: keys.reveal,
      url,
      body: { query: 'metadata.kind:moved AND data:4242', size: 100 },
    });
    const [page, search] = [answer.body as Page, found.body as Page];
    all.set(tenantId, `${page.pagination.total_items} ${search.pagination.total_items} ${found.text}`);
    for (const { id } of page.data) {
      all.set(`/tokens/${id}`, (await vault.request('GET', `/tokens/${id}`, { key: keys.reveal, url })).text);
    }
  }
  return all;
}

const moving = <T>(work: (moving: DrawerMoving) => Promise<T>, watch?: MoveWatch) =>
  DrawerMoving.with({ nodes: ownedNodes(vault), watch }, work);

class Killed extends Error {}

/** Dies when it has done a step for the first time. */
function killedAfter(step: MoveStep): MoveWatch {
  return {
    onStep(done) {
      if (done === step) throw new Killed();
    },
  };
}

/** There and back again, so that each case begins with the same. */
const move = (from: string, to: string, watch?: MoveWatch) =>
  moving((all) => all.move({ from, to, drawers: 2_048 }), watch);

const steps: readonly MoveStep[] = [
  'began',
  'page-copied',
  'copied',
  'followed',
  'leaving',
  'followed-all',
  'left',
  'held',
  'arrived',
  'page-deleted',
  'deleted',
];

describe('a move of drawers', () => {
  it('leaves every token as it was, wherever it lies, and nothing behind', async () => {
    expect(await listDisorder(vault)).toEqual([]);
    const report = await move('node-1', 'node-2');
    expect(report).toMatchObject({ from: 'node-1', to: 'node-2', drawers: 2_048, isGivenUp: false });
    expect(report.tokens).toBeGreaterThan(5);
    expect(await listDisorder(vault)).toEqual([]);
    expect(await showAll()).toEqual(shown);
    const { rows } = (await vault.nodes[0]?.database.owner.query('select 1 from tokens')) ?? { rows: [] };
    expect(rows).toEqual([]);
    await move('node-2', 'node-1');
    expect(await listDisorder(vault)).toEqual([]);
    expect(await showAll()).toEqual(shown);
  });

  it('goes to home and from there as to any other', async () => {
    await move('node-2', 'home');
    expect(await listDisorder(vault)).toEqual([]);
    expect(await showAll()).toEqual(shown);
    await move('home', 'node-2');
    expect(await listDisorder(vault)).toEqual([]);
    expect(await showAll()).toEqual(shown);
  });

  it.each(steps)('that was killed after "%s" is completed by the next run', async (step) => {
    await expect(move('node-1', 'node-2', killedAfter(step))).rejects.toBeInstanceOf(Killed);
    const ended = await moving((all) => all.finish());
    expect(ended).toMatchObject([{ from: 'node-1', to: 'node-2', drawers: 2_048, isGivenUp: false }]);
    expect(await listDisorder(vault)).toEqual([]);
    expect(await showAll()).toEqual(shown);
    await move('node-2', 'node-1');
    expect(await listDisorder(vault)).toEqual([]);
  });

  it('takes along what was written while nobody was moving it', async () => {
    const [{ keys } = { keys: { reveal: '' } }] = tenants;
    await expect(move('node-1', 'node-2', killedAfter('copied'))).rejects.toBeInstanceOf(Killed);
    const made = await Promise.all(Array.from({ length: 20 }, (_, index) => create(keys.reveal, `5${index}`)));
    const patched = await Promise.all(
      made.map((id) =>
        vault.request('PATCH', `/tokens/${id}`, {
          key: keys.reveal,
          body: { containers: ['/elsewhere/'], data: { cvc: '111' }, metadata: { kind: 'patched' } },
          headers: { 'content-type': 'application/merge-patch+json' },
        }),
      ),
    );
    expect(new Set(patched.map(({ status }) => status))).toEqual(new Set([200]));
    const before = await showAll();
    await moving((all) => all.finish());
    expect(await listDisorder(vault)).toEqual([]);
    expect(await showAll()).toEqual(before);
    await expect(move('node-2', 'node-1', killedAfter('followed'))).rejects.toBeInstanceOf(Killed);
    const gone = await Promise.all(made.map((id) => vault.request('DELETE', `/tokens/${id}`, { key: keys.reveal })));
    expect(new Set(gone.map(({ status }) => status))).toEqual(new Set([204]));
    await moving((all) => all.finish());
    expect(await listDisorder(vault)).toEqual([]);
    expect(await showAll()).toEqual(shown);
  });
});

describe('a move that is given up', () => {
  it.each(['began', 'page-copied', 'copied', 'followed'] as const)(
    'after "%s" leaves all where it was',
    async (step) => {
      await expect(move('node-1', 'node-2', killedAfter(step))).rejects.toBeInstanceOf(Killed);
      // Given up by somebody who is killed as well.
      await expect(moving((all) => all.giveUp(), killedAfter('page-deleted'))).rejects.toBeInstanceOf(Killed);
      const ended: EndedMove[] = await moving((all) => all.giveUp());
      expect(ended).toMatchObject([{ from: 'node-1', isGivenUp: true }]);
      expect(await listDisorder(vault)).toEqual([]);
      expect(await showAll()).toEqual(shown);
    },
  );

  it.each(['leaving', 'left', 'arrived'] as const)(
    'is refused after "%s", when it can only be completed',
    async (step) => {
      await expect(move('node-1', 'node-2', killedAfter(step))).rejects.toBeInstanceOf(Killed);
      await expect(moving((all) => all.giveUp())).rejects.toThrow('have already left node-1 for node-2');
      await moving((all) => all.finish());
      await move('node-2', 'node-1');
      expect(await showAll()).toEqual(shown);
    },
  );
});

describe('two moves', () => {
  it('are not made at once: the second is refused', async () => {
    const second: unknown[] = [];
    await move('node-1', 'node-2', {
      async onStep(step) {
        if (step === 'copied') second.push(await move('node-2', 'node-1').catch((error: unknown) => error));
      },
    });
    expect(second).toMatchObject([{ message: expect.stringContaining('being moved by another command') as unknown }]);
    await move('node-2', 'node-1');
    expect(await listDisorder(vault)).toEqual([]);
  });

  it('are refused where a database gives more than it has', async () => {
    await expect(moving((all) => all.move({ from: 'node-1', to: 'node-2', drawers: 2_049 }))).rejects.toThrow(
      'node-1 holds 2048 drawers',
    );
    await expect(move('node-1', 'node-1')).rejects.toThrow('name two');
    await expect(move('node-1', 'west')).rejects.toThrow('no database west');
  });
});
