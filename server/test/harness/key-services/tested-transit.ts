import type { TransitOptions } from '../../../src/platform/keyring/kms/transit/transit-client.ts';
import { TransitRootKey } from '../../../src/platform/keyring/kms/transit/transit-root-key.ts';
import { TestAuthority } from '../test-authority.ts';
import type { TestedKeyService } from './tested-key-service.ts';
import { TransitEndpoint } from './transit-endpoint.ts';

/** The Transit endpoint as one of the key services that the contract is tried on. */
export class TestedTransit implements TestedKeyService {
  readonly #transit: TransitEndpoint;
  readonly #authority: TestAuthority;

  static async start(): Promise<TestedTransit> {
    const authority = await TestAuthority.create();
    return new TestedTransit(await TransitEndpoint.start(await authority.issue(['localhost'])), authority);
  }

  private constructor(transit: TransitEndpoint, authority: TestAuthority) {
    this.#transit = transit;
    this.#authority = authority;
    transit.replace('other');
  }

  get options(): TransitOptions {
    return this.#transit.options(this.#authority.certificate);
  }

  get secrets(): readonly string[] {
    return [this.#transit.token];
  }

  open(): Promise<TransitRootKey> {
    return TransitRootKey.open(this.options);
  }

  openOther(): Promise<TransitRootKey> {
    return TransitRootKey.open({ ...this.options, key: 'other' });
  }

  readonly troubles = {
    disabled: () => this.#respond(400, 'refusing to use soft-deleted key'),
    denied: () => {
      this.#transit.tokens.deniesAll = true;
    },
    gone: () => this.#respond(400, 'encryption key not found'),
    throttled: () => this.#respond(429, 'request path "transit/decrypt/strongroom": rate limit quota exceeded'),
    slow: () => {
      this.#transit.service.mood = 'is-silent';
    },
    unreachable: () => {
      this.#transit.service.mood = 'hangs-up';
    },
  };

  recover(): void {
    this.#transit.service.mood = undefined;
    this.#transit.tokens.deniesAll = false;
  }

  rotate(): void {
    this.#transit.rotate('strongroom');
  }

  async stop(): Promise<void> {
    await this.#transit.service.stop();
    await this.#authority.remove();
  }

  #respond(status: number, reason: string): void {
    this.#transit.service.mood = () => ({ status, body: { errors: [reason] } });
  }
}
