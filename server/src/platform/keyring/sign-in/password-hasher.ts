import { randomBytes, scrypt } from 'node:crypto';
import { DomainError } from '../../../core/errors/domain-error.ts';
import type { Sensitive } from '../../../core/identity/sensitive.ts';
import { requireWanted } from '../../waiting/deadline.ts';

/*
 * scrypt with N = 2¹⁷, r = 8, p = 1 takes 128 MiB and about 300 ms by design, because passwords can be guessed. At any
 * time, only a few hashes are computed and only a few callers wait. Further callers are asked to retry.
 */
const costDefault = 2 ** 17;
const memoryMax = 256 * 1024 * 1024;
const hashLength = 32;
const saltLength = 16;
const runningMax = 2;
const waitingMax = 8;

/** Hashes passwords, slowly and only a few at a time. */
export class PasswordHasher {
  readonly #cost: number;
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(cost = costDefault) {
    this.#cost = cost;
  }

  makeSalt(): Buffer {
    return randomBytes(saltLength);
  }

  async hash(password: Sensitive<string>, salt: Buffer): Promise<Buffer> {
    await this.#enter();
    try {
      // If the request was given up, hashing would waste half a second of processor time and delay other callers.
      requireWanted();
      return await derive(password.reveal().normalize('NFKC'), salt, this.#cost);
    } finally {
      this.#leave();
    }
  }

  #enter(): Promise<void> {
    if (this.#running < runningMax) {
      this.#running += 1;
      return Promise.resolve();
    }
    if (this.#waiting.length >= waitingMax) {
      throw new DomainError('overloaded', 'Too many people are signing in right now. Try again shortly.');
    }
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  }

  #leave(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#running -= 1;
    else next();
  }
}

function derive(password: string, salt: Buffer, cost: number): Promise<Buffer> {
  const options = { N: cost, r: 8, p: 1, maxmem: memoryMax };
  return new Promise((resolve, reject) => {
    scrypt(password, salt, hashLength, options, (error, hash) => (error === null ? resolve(hash) : reject(error)));
  });
}
