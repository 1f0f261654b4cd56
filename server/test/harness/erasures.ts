import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { findErasureRights } from '../../src/app/wiring/approval-wiring.ts';
import { createErasureJobs } from '../../src/app/wiring/erasure-wiring.ts';
import { ErasureRun, type StepResult } from '../../src/features/retention/erasures/erasure-run.ts';
import { parseTenantId } from '../../src/core/identity/ids.ts';
import { LogReader } from '../../src/platform/audit/verify/log-reader.ts';
import { sealAll, signerOf } from './sealed-log.ts';
import type { TestTenant, TestVault } from './test-vault.ts';

export interface TestErasure {
  readonly id: string;
  readonly status: string;
  readonly tokens: number;
  readonly held_tokens: number;
  readonly removed_tokens: number;
  readonly is_limited: boolean;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly reason?: string;
}

/** Sends requests about the erasures of a tenant. */
export class TestErasures {
  readonly #vault: TestVault;
  readonly #tenant: TestTenant;

  constructor(vault: TestVault, tenant: TestTenant) {
    this.#vault = vault;
    this.#tenant = tenant;
  }

  ask(method: string, below = '', body?: unknown, key = this.#tenant.keys.private) {
    const hasBody = body !== undefined;
    return this.#vault.request(method, `/erasures${below}`, { key, ...(hasBody ? { body } : {}) });
  }

  /** Counts tokens, and confirms what was counted. */
  async begin(selection: object): Promise<TestErasure> {
    const counted = await this.ask('POST', '', selection);
    if (counted.status !== 201) throw new Error(`Nothing was counted: ${counted.text}`);
    const { id, tokens } = counted.body as TestErasure;
    const confirmed = await this.ask('POST', `/${id}/confirm`, { confirmed_tokens: tokens });
    if (confirmed.status !== 202) throw new Error(`Nothing was confirmed: ${confirmed.text}`);
    return confirmed.body as TestErasure;
  }

  async get(id: string): Promise<TestErasure> {
    return (await this.ask('GET', `/${id}`)).body as TestErasure;
  }

  /** Runs the job of erasures once, as a worker does. It ends when all tokens are removed and the log is sealed. */
  async run(): Promise<void> {
    const { database, core } = { database: this.#vault.database.open(), core: this.#vault.server.core };
    const [erase] = createErasureJobs(core, { sealerDatabase: database, backupDays: 35 });
    const ending = new AbortController();
    const sealing = async () => {
      while (!ending.signal.aborted) {
        await sealAll(this.#vault.database, signerOf(this.#vault.server));
        await new Promise((resolve) => setImmediate(resolve));
      }
    };
    const running = (erase?.run(undefined) ?? Promise.resolve()).finally(() => ending.abort());
    await Promise.all([running, sealing()]);
  }

  /** Takes one step of an erasure, as a worker does. Nothing is sealed meanwhile. */
  step(id: string): Promise<StepResult> {
    const { database, keyring, systemKeys } = this.#vault.server.core;
    const reader = new LogReader(this.#vault.database.open());
    const parts = { database, keyring, findRights: findErasureRights, reader, backupDays: undefined };
    return new ErasureRun({ ...parts, signer: systemKeys.auditSigner() }, parseTenantId(this.#tenant.id), id).step();
  }

  /** Downloads the receipt to a file, and returns its path. */
  async receipt(id: string): Promise<string> {
    const { status, text } = await this.ask('GET', `/${id}/receipt`);
    if (status !== 200) throw new Error(`There is no receipt: ${text}`);
    const file = path.join(tmpdir(), `strongroom-${randomUUID()}.receipt`);
    await writeFile(file, text);
    return file;
  }
}
