import { setTimeout as pause } from 'node:timers/promises';
import { Random } from '../random.ts';
import { Cards } from './cards.ts';
import { ChangingKeys } from './changing-keys.ts';
import { Client } from './client.ts';
import { EqualValues } from './equal-values.ts';
import type { History } from './history.ts';
import { Invitations } from './invitations.ts';
import type { LoadContext, Operation } from './operation.ts';
import { ProxiedCalls } from './proxied-calls.ts';
import { Sessions } from './sessions.ts';
import type { Tenant } from './tenant.ts';
import { TokenLives } from './token-lives.ts';
import { WholeDocuments } from './whole-documents.ts';

export interface LoadOptions {
  readonly url: string;
  readonly tenant: Tenant;
  readonly history: History;
  readonly seed: number;
  /** Requests started per second. */
  readonly rate: number;
  readonly marker: string;
}

/**
 * The maximum number of requests that may wait for a response. At this limit, clients slow down to the pace of the
 * vault.
 */
const waitingMax = 300;
const tickMs = 10;

/** Runs all kinds of operations in random order at a steady rate until it is stopped. */
export class Load {
  readonly #operations: readonly Operation[];
  readonly #client: Client;
  readonly #random: Random;
  readonly #rate: number;
  readonly #waiting = new Set<Promise<void>>();
  readonly #running: Promise<void>;
  #isOver = false;

  constructor({ url, tenant, history, seed, rate, marker }: LoadOptions) {
    this.#random = new Random(seed);
    this.#client = new Client(url, history);
    this.#rate = rate;
    let number = 0;
    const context: LoadContext = {
      client: this.#client,
      tenant,
      random: this.#random,
      marker,
      nextNumber: () => ++number,
      isOver: () => this.#isOver,
    };
    const kinds = [TokenLives, WholeDocuments, EqualValues, Cards, ProxiedCalls, Sessions, ChangingKeys, Invitations];
    this.#operations = kinds
      .flatMap((Kind) => new Kind(context).operations)
      .flatMap((operation) => Array.from({ length: operation.weight }, () => operation));
    this.#running = this.#run();
  }

  /** Stops the load and waits for pending operations. */
  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#running;
    await Promise.all(this.#waiting);
    this.#client.close();
  }

  async #run(): Promise<void> {
    const startedAt = performance.now();
    let begun = 0;
    while (!this.#isOver) {
      const due = Math.floor(((performance.now() - startedAt) / 1_000) * this.#rate);
      // Requests that an outage prevented are not sent in a burst afterwards.
      begun = Math.max(begun, due - this.#rate);
      for (; begun < due && this.#waiting.size < waitingMax; begun += 1) {
        const act = this.#random.pick(this.#operations).act();
        this.#waiting.add(act);
        void act.finally(() => this.#waiting.delete(act));
      }
      await pause(tickMs);
    }
  }
}
