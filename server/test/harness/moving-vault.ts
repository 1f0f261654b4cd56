import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import { DrawerMoving } from '../../src/platform/nodes/moving/drawer-moving.ts';
import type { MoveWatch } from '../../src/platform/nodes/moving/drawer-mover.ts';
import type { MoveStep } from '../../src/platform/nodes/moving/move-step.ts';
import { listDatabases, ownedNodes } from './node-inventory.ts';
import { type TestTenant, TestVault } from './test-vault.ts';

const cardNumber = '4242424242424242';
const digest = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 16);

interface Page {
  readonly pagination: { readonly total_items: number };
  readonly data: readonly { readonly id: string }[];
}

/** A vault with two nodes and tokens of two tenants, whose drawers are moved there and back again. */
export class MovingVault {
  readonly vault: TestVault;
  readonly tenants: readonly TestTenant[];

  static async start(): Promise<MovingVault> {
    const vault = await TestVault.start(undefined, { nodes: 2 });
    const made = new MovingVault(vault, [await vault.makeTenant(), await vault.makeTenant()]);
    for (const [place, tenant] of made.tenants.entries()) {
      for (let number = 0; number < 15; number += 1) await made.create(tenant, `${place}${number}`);
    }
    return made;
  }

  private constructor(vault: TestVault, tenants: readonly TestTenant[]) {
    this.vault = vault;
    this.tenants = tenants;
  }

  async create({ keys }: TestTenant, name: string): Promise<string> {
    const body = {
      type: 'card',
      data: { number: cardNumber, expiration_month: 12, expiration_year: 2050, cvc: `9${name.slice(-1)}7` },
      metadata: { name, kind: 'moved' },
      search_indexes: ['{{ data.number | last4 }}'],
      containers: [`/shelf-${name.slice(-1)}/`],
    };
    const answer = await this.vault.request('POST', '/tokens', { key: keys.reveal, body });
    expect(answer.status).toBe(201);
    return (answer.body as { id: string }).id;
  }

  async patch({ keys }: TestTenant, id: string, body: object): Promise<void> {
    const headers = { 'content-type': 'application/merge-patch+json' };
    const answer = await this.vault.request('PATCH', `/tokens/${id}`, { key: keys.reveal, body, headers });
    expect(answer.status).toBe(200);
  }

  async delete({ keys }: TestTenant, id: string): Promise<void> {
    expect((await this.vault.request('DELETE', `/tokens/${id}`, { key: keys.reveal })).status).toBe(204);
  }

  /** A digest of every token as reads show it, by its path, and of what lists and searches show of a tenant. */
  async showAll(tenants = this.tenants): Promise<Map<string, string>> {
    const all = new Map<string, string>();
    for (const { id: tenantId, keys } of tenants) {
      const key = keys.reveal;
      const query = { query: 'metadata.kind:moved AND data:4242', size: 100 };
      const list = (await this.vault.request('GET', '/tokens?size=100', { key })).body as Page;
      const found = await this.vault.request('POST', '/tokens/search', { key, body: query });
      const totals = [list, found.body as Page].map(({ pagination }) => pagination.total_items);
      all.set(tenantId, `${totals.join()} ${digest(found.text)}`);
      for (const { id } of list.data) {
        all.set(`/tokens/${id}`, digest((await this.vault.request('GET', `/tokens/${id}`, { key })).text));
      }
    }
    return all;
  }

  moving<T>(work: (moving: DrawerMoving) => Promise<T>, watch?: MoveWatch): Promise<T> {
    return DrawerMoving.with({ nodes: ownedNodes(this.vault), watch }, work);
  }

  /** Half of all drawers: all that one of the nodes has at first. */
  move(from: string, to: string, watch?: MoveWatch) {
    return this.moving((all) => all.move({ from, to, drawers: 2_048 }), watch);
  }

  finish() {
    return this.moving((all) => all.finish());
  }

  giveUp(watch?: MoveWatch) {
    return this.moving((all) => all.giveUp(), watch);
  }

  /** A move whose process dies when it has done a step for the first time: its sessions end, and nobody ends what it had begun. */
  async killMove(from: string, to: string, step: MoveStep): Promise<void> {
    await expect(this.move(from, to, this.killedAfter(step))).rejects.toThrow();
  }

  killedAfter(step: MoveStep): MoveWatch {
    return this.cutOffAfter(step, ['home', 'node-1', 'node-2']);
  }

  /** Loses its sessions on these databases. */
  cutOffAfter(step: MoveStep, names: readonly string[]): MoveWatch {
    return {
      onStep: async (done) => {
        if (done === step) await this.endSessions(names);
      },
    };
  }

  async endSessions(names: readonly string[]): Promise<void> {
    for (const { name, database } of listDatabases(this.vault)) {
      if (!names.includes(name)) continue;
      await database.owner.query(
        `select pg_terminate_backend(pid, 5000) from pg_stat_activity
          where application_name = 'strongroom nodes' and datname = current_database()`,
      );
    }
  }
}
