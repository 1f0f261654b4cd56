import { DomainError } from '../../core/errors/domain-error.ts';
import { problemCatalog } from '../problems/problem-catalog.ts';

export interface BodyMemoryLimits {
  /** The limit for all bodies in total, in bytes. */
  readonly totalBytesMax: number;
  /** The limit for all bodies of one client, in bytes. */
  readonly clientBytesMax: number;
  /** What happens if a client would exceed its limit: either its new body is rejected, or its oldest one is dropped. */
  readonly whenClientFull: 'refuse' | 'drop-oldest';
  /** A body that transfers fewer bytes than this within `paceMs` is dropped. */
  readonly paceBytesMin: number;
  readonly paceMs: number;
}

/**
 * Limits for request bodies. A client may hold four bodies of maximum size; a thousand typical requests take a few
 * megabytes.
 */
export const requestMemoryLimits: BodyMemoryLimits = {
  totalBytesMax: 64 * 1024 * 1024,
  clientBytesMax: 16 * 1024 * 1024,
  whenClientFull: 'refuse',
  paceBytesMin: 64 * 1024,
  paceMs: 5_000,
};

/**
 * Limits for responses. A client may hold four of the longest lists. The oldest response is dropped, because the
 * request is already complete and the new response can no longer be rejected.
 */
export const responseMemoryLimits: BodyMemoryLimits = {
  totalBytesMax: 128 * 1024 * 1024,
  clientBytesMax: 32 * 1024 * 1024,
  whenClientFull: 'drop-oldest',
  paceBytesMin: 64 * 1024,
  paceMs: 5_000,
};

/** The memory that one body holds. */
export interface BodyShare {
  /** Reserves memory before it is allocated. Throws if not enough is available. */
  grow(bytes: number): void;
  /** Records that this many bytes have arrived or have been sent. */
  note(bytes: number): void;
  /** Marks the body as complete. From now on, the pace of the client is no longer checked. */
  endArrival(): void;
  /** Marks the body as in use, so that it can no longer be dropped to make room. */
  keep(): void;
  /** Releases everything. Safe to call more than once. */
  close(): void;
}

interface Share {
  readonly client: string;
  readonly giveUp: (reason: DomainError) => void;
  heldBytes: number;
  movedBytes: number;
  isMoving: boolean;
  isKept: boolean;
  /** The time of the last pace check. `judgedBytes` is the number of bytes transferred by then. */
  judgedAt: number;
  judgedBytes: number;
}

/**
 * Accounts for the memory of bodies that are arriving or in use. Without a limit, sixty clients that stopped before the
 * last byte held 180 MB for 33 seconds, and 200 clients that did not read their response held 820 MB (measured). If all
 * bodies together use too much, the oldest one is dropped. Normal bodies arrive in milliseconds, so the oldest is the
 * slowest.
 */
export class BodyMemory {
  readonly #limits: BodyMemoryLimits;
  /** The shares, oldest first. */
  readonly #shares = new Set<Share>();
  readonly #bytesByClient = new Map<string, number>();
  #totalBytes = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(limits: BodyMemoryLimits = requestMemoryLimits) {
    this.#limits = limits;
  }

  get heldBytes(): number {
    return this.#totalBytes;
  }

  get openCount(): number {
    return this.#shares.size;
  }

  /**
   * Opens a share. If this body is dropped, to make room or because it is too slow, `giveUp` is called and must close
   * the share.
   */
  open(client: string, giveUp: (reason: DomainError) => void): BodyShare {
    const now = performance.now();
    const progress = { heldBytes: 0, movedBytes: 0, isMoving: true, isKept: false, judgedAt: now, judgedBytes: 0 };
    const share: Share = { client, giveUp, ...progress };
    this.#shares.add(share);
    this.#timer ??= setInterval(() => this.#judgePace(), this.#limits.paceMs / 5).unref();
    return {
      grow: (bytes) => this.#grow(share, bytes),
      note: (bytes) => {
        share.movedBytes += bytes;
      },
      endArrival: () => {
        share.isMoving = false;
      },
      keep: () => {
        share.isKept = true;
      },
      close: () => this.#close(share),
    };
  }

  #grow(share: Share, bytes: number): void {
    // The body was dropped, so nothing of it is kept.
    if (!this.#shares.has(share)) return;
    while (this.#bytesOf(share.client) + bytes > this.#limits.clientBytesMax) {
      const { whenClientFull } = this.#limits;
      if (whenClientFull === 'refuse') throw tooMany();
      // If the client has no other share, this one is allowed. It holds at most the longest response.
      if (!this.#giveUpOldest((other) => other.client === share.client && other !== share)) break;
    }
    while (this.#totalBytes + bytes > this.#limits.totalBytesMax) {
      if (!this.#giveUpOldest((other) => !other.isKept, share)) throw noRoom();
    }
    share.heldBytes += bytes;
    this.#totalBytes += bytes;
    this.#bytesByClient.set(share.client, this.#bytesOf(share.client) + bytes);
  }

  /**
   * Gives up the oldest matching share. Returns false if there is none, or if it is the share that requests the memory.
   */
  #giveUpOldest(isMeant: (share: Share) => boolean, asking?: Share): boolean {
    const oldest = this.#findOldest(isMeant);
    if (oldest === undefined || oldest === asking) return false;
    oldest.giveUp(noRoom());
    return true;
  }

  #findOldest(isMeant: (share: Share) => boolean): Share | undefined {
    for (const share of this.#shares) if (share.heldBytes > 0 && isMeant(share)) return share;
    return undefined;
  }

  #bytesOf(client: string): number {
    return this.#bytesByClient.get(client) ?? 0;
  }

  #close(share: Share): void {
    if (!this.#shares.delete(share)) return;
    this.#totalBytes -= share.heldBytes;
    const left = this.#bytesOf(share.client) - share.heldBytes;
    if (left > 0) this.#bytesByClient.set(share.client, left);
    else this.#bytesByClient.delete(share.client);
    if (this.#shares.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #judgePace(): void {
    const { paceMs, paceBytesMin } = this.#limits;
    const now = performance.now();
    for (const share of this.#shares) {
      if (!share.isMoving || now - share.judgedAt < paceMs) continue;
      if (share.movedBytes - share.judgedBytes < paceBytesMin) share.giveUp(tooSlow());
      share.judgedAt = now;
      share.judgedBytes = share.movedBytes;
    }
  }
}

function tooMany(): DomainError {
  return new DomainError('overloaded', 'This address has too many large requests in progress. Try again shortly.');
}

function noRoom(): DomainError {
  return new DomainError('overloaded', 'The server has too many large requests in progress. Try again shortly.');
}

function tooSlow(): DomainError {
  return new DomainError('request-timeout', problemCatalog['request-timeout'].meaning);
}
