import { setTimeout as pauseFor } from 'node:timers/promises';
import { membersOf } from '../../core/objects/members-of.ts';
import type { LoopbackClient, LoopbackRequest } from '../../platform/loopback/loopback-client.ts';
import { type SeedApplicationName, seedApplicationNames, seedApplications } from './seed-applications.ts';
import type { SeedPlan } from './seed-plan.ts';
import { type SeedPhase, type SeedRequest, seedPhases } from './seed-request.ts';

const togetherMax = 16;
/** The time that a server may take to notice a new or revoked key. */
const settleMs = 20;

interface KnownApplication {
  readonly id: string;
  key: string;
}

/** Sends the requests of a plan to a server and remembers the planned time of each. */
export class SeedRunner {
  readonly #client: LoopbackClient;
  readonly #managementKey: string;
  readonly #applications = new Map<SeedApplicationName, KnownApplication>();
  /** The planned times by request id. */
  readonly #times = new Map<string, Date>();
  #retiredKeyId = '';

  constructor(client: LoopbackClient, managementKey: string) {
    this.#client = client;
    this.#managementKey = managementKey;
  }

  get times(): ReadonlyMap<string, Date> {
    return this.#times;
  }

  /** The id of the key that was replaced after the incident. */
  get retiredKeyId(): string {
    return this.#retiredKeyId;
  }

  get keys(): Readonly<Record<string, string>> {
    return Object.fromEntries([...this.#applications].map(([name, { key }]) => [name, key]));
  }

  async run(plan: SeedPlan, startsAt: Date): Promise<void> {
    await this.#createApplications(startsAt);
    for (const phase of seedPhases) {
      if (phase === 'use-new-key') await this.#replaceKey('Support desk', plan.incident.rotatedAt);
      await this.#runPhase(plan, phase);
    }
  }

  /** Sends a request as the owner of the tenant, from the office. */
  manage(at: Date, request: LoopbackRequest, status: number): Promise<unknown> {
    return this.#ask({ at, address: '192.0.2.10', key: this.#managementKey, status }, request);
  }

  /**
   * Records the planned time of an action that is performed in this process, not by a request. Returns its request id.
   */
  remember(at: Date): string {
    const id = `seed-${crypto.randomUUID()}`;
    this.#times.set(id, at);
    return id;
  }

  async #createApplications(startsAt: Date): Promise<void> {
    for (const [index, name] of seedApplicationNames.entries()) {
      const at = new Date(startsAt.getTime() + (index + 1) * 60_000);
      const body = { name, ...seedApplications[name] };
      const made = membersOf(await this.manage(at, { method: 'POST', path: '/applications', body }, 201));
      this.#applications.set(name, { id: String(made['id']), key: String(made['key']) });
    }
  }

  /**
   * Replaces a key as after an incident: creates a new key first, and revokes the old one when it is no longer used.
   */
  async #replaceKey(name: SeedApplicationName, at: Date): Promise<void> {
    const application = this.#getApplication(name);
    const path = `/applications/${application.id}/keys`;
    this.#retiredKeyId = String(membersOf(membersOf(await this.manage(at, { method: 'GET', path }, 200))[0])['id']);
    const made = membersOf(await this.manage(at, { method: 'POST', path, body: {} }, 201));
    application.key = String(made['key']);
    const later = new Date(at.getTime() + 4 * 60_000);
    await this.manage(later, { method: 'DELETE', path: `${path}/${this.#retiredKeyId}` }, 204);
    await pauseFor(settleMs);
  }

  async #runPhase({ requests }: SeedPlan, phase: SeedPhase): Promise<void> {
    const waiting = requests.filter((request) => request.phase === phase).values();
    const work = async () => {
      for (const request of waiting) await this.#send(request);
    };
    await Promise.all(Array.from({ length: togetherMax }, work));
  }

  async #send(request: SeedRequest): Promise<void> {
    const { at, application, address, method, path, headers, body, status, isInSession = false } = request;
    const key = isInSession ? await this.#openSession(request) : this.#getApplication(application).key;
    await this.#ask(
      { at, address, key, status },
      { method, path, ...(headers && { headers }), ...(body ? { body } : {}) },
    );
  }

  /**
   * Opens a session with the public key, like a browser. The backend of the shop then authorizes it to store a card.
   */
  async #openSession({ at, address, application }: SeedRequest): Promise<string> {
    const opened = membersOf(
      await this.#ask(
        { at: new Date(at.getTime() - 40_000), address, key: this.#getApplication(application).key, status: 201 },
        { method: 'POST', path: '/sessions' },
      ),
    );
    const rules = [
      {
        description: 'Store one card',
        priority: 1,
        conditions: [{ attribute: 'container', operator: 'starts_with', value: '/pci/' }],
        transform: 'mask',
        permissions: ['token:create'],
      },
    ];
    await this.#ask(
      {
        at: new Date(at.getTime() - 39_000),
        address: '192.0.2.30',
        key: this.#getApplication('Checkout backend').key,
        status: 200,
      },
      { method: 'POST', path: '/sessions/authorize', body: { nonce: opened['nonce'], rules } },
    );
    return String(opened['session_key']);
  }

  async #ask(
    { at, address, key, status }: { at: Date; address: string; key: string; status: number },
    request: LoopbackRequest,
  ): Promise<unknown> {
    const headers = {
      'bt-api-key': key,
      'bt-trace-id': this.remember(at),
      'x-forwarded-for': address,
      ...request.headers,
    };
    const answer = await this.#client.ask({ ...request, headers });
    if (answer.status === status) return answer.body;
    throw new Error(
      `Filling the vault failed: ${request.method} ${request.path} responded with ${answer.status} instead of ${status}.`,
    );
  }

  #getApplication(name: SeedApplicationName): KnownApplication {
    const found = this.#applications.get(name);
    if (found === undefined) throw new Error(`The application ${name} was not created.`);
    return found;
  }
}
