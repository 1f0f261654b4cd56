import { Redis } from 'ioredis';
import { withinTime } from '../waiting/within-time.ts';

/** How often a server says that it is there, and looks whether Redis is. */
const heartbeatMs = 1_000;
/** The same while Redis does not answer: this is how soon its return is noticed. */
const probeMs = 100;
/** A server that was not heard for so long is not there. */
const absentMs = 5_000;
/** A connection that says nothing for so long is given up: the other end may be gone without a word. */
const silenceMs = 2_000;
const reconnectMs = 250;
const presenceKey = 'strongroom:servers';

/** Each script is one round trip, and nothing happens between its steps. */
const scripts = {
  /*
   * Counts requests of several clients. For each client: how many there are, then the limits that they count against,
   * one after the other. What the first limit refuses is not counted against the next. The request past a limit begins
   * a block by giving the counter a new end; until then everything is past the limit, and then counting begins anew.
   */
  count: {
    lua: `
      local answers = {}
      local key = 1
      local at = 1
      while key <= #KEYS do
        local left = tonumber(ARGV[at])
        local depth = tonumber(ARGV[at + 1])
        at = at + 2
        for _ = 1, depth do
          local limit, window, block = tonumber(ARGV[at]), tonumber(ARGV[at + 1]), tonumber(ARGV[at + 2])
          local ends = 0
          if left > 0 then
            local after = redis.call('INCRBY', KEYS[key], left)
            local before = after - left
            if before <= limit and after > limit then
              redis.call('PEXPIRE', KEYS[key], block)
            elseif before == 0 then
              redis.call('PEXPIRE', KEYS[key], window)
            end
            ends = redis.call('PTTL', KEYS[key])
            left = math.max(0, math.min(left, limit - before))
          end
          answers[#answers + 1] = left
          answers[#answers + 1] = ends
          key = key + 1
          at = at + 3
        end
      end
      return answers`,
  },
  /* Notes that a server is there and tells how many are. */
  attend: {
    numberOfKeys: 1,
    lua: `
      local time = redis.call('TIME')
      local now = time[1] * 1000 + math.floor(time[2] / 1000)
      redis.call('ZADD', KEYS[1], now, ARGV[1])
      redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - ARGV[2])
      redis.call('PEXPIRE', KEYS[1], ARGV[2])
      return redis.call('ZCARD', KEYS[1])`,
  },
};

/** The scripts as the client offers them; its types know only commands of Redis. */
interface Scripted {
  count(keyCount: number, ...keysAndValues: readonly (string | number)[]): Promise<number[]>;
  attend(key: string, server: string, absentMs: number): Promise<number>;
}

/**
 * A connection to Redis that never makes anybody wait for long. The first answer that is late or missing opens the
 * circuit: from then on nobody asks, until a probe in the background is answered.
 */
export class RedisLink {
  readonly #redis: Redis & Scripted;
  readonly #waitMs: number;
  readonly #server = crypto.randomUUID();
  #isUp = false;
  #servers = 1;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;
  #heardAt = performance.now();

  constructor(options: { readonly url: string; readonly waitMs: number }) {
    this.#waitMs = options.waitMs;
    this.#redis = new Redis(options.url, {
      // Nothing waits for a connection: what cannot be asked now is not asked at all.
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      autoResendUnfulfilledCommands: false,
      connectTimeout: silenceMs,
      retryStrategy: () => reconnectMs,
      connectionName: 'strongroom',
      scripts,
    }) as Redis & Scripted;
    this.#redis.on('error', () => this.#trip());
    this.#redis.on('close', () => this.#trip());
    this.#redis.on('ready', () => void this.#beat());
    this.#schedule();
  }

  /** Whether asking makes sense. */
  get isUp(): boolean {
    return this.#isUp;
  }

  /** How many servers there were when Redis was last heard. */
  get servers(): number {
    return this.#servers;
  }

  /** The answer of the counting script. Rejects within milliseconds when there is none. */
  count(keys: readonly string[], values: readonly number[]): Promise<number[]> {
    return this.#within(this.#redis.count(keys.length, ...keys, ...values));
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#redis.disconnect();
  }

  #within<T>(answer: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      let isSettled = false;
      const fail = (error: unknown) => {
        if (isSettled) return;
        isSettled = true;
        this.#trip();
        reject(error instanceof Error ? error : new Error('Redis failed.'));
      };
      // Were we late ourselves, the answer lies in the socket: it is read before the immediate runs.
      const timer = setTimeout(
        () => setImmediate(() => fail(new Error('Redis did not respond in time.'))),
        this.#waitMs,
      );
      answer.then((value) => {
        clearTimeout(timer);
        isSettled = true;
        this.#heardAt = performance.now();
        resolve(value);
      }, fail);
    });
  }

  #trip(): void {
    if (!this.#isUp) return;
    this.#isUp = false;
    this.#schedule(0);
  }

  #schedule(ms = this.#isUp ? heartbeatMs : probeMs): void {
    clearTimeout(this.#timer);
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => void this.#beat().finally(() => this.#schedule()), ms);
    this.#timer.unref();
  }

  /** Never throws: a beat that fails is what the next one is for. */
  async #beat(): Promise<void> {
    if (this.#redis.status !== 'ready') {
      if (performance.now() - this.#heardAt > silenceMs) this.#reconnect();
      return;
    }
    try {
      // Nobody waits for a beat, so it has more time than a request: a busy moment is not an absence.
      this.#servers = await withinTime(
        this.#redis.attend(presenceKey, this.#server, absentMs),
        probeMs,
        'Redis did not respond in time.',
      );
      this.#heardAt = performance.now();
      this.#isUp = true;
    } catch {
      this.#isUp = false;
      if (performance.now() - this.#heardAt > silenceMs) this.#reconnect();
    }
  }

  /** A connection that hangs while it is opened hangs for ever; one that is about to be opened is left alone. */
  #reconnect(): void {
    this.#heardAt = performance.now();
    if (['connect', 'ready'].includes(this.#redis.status)) this.#redis.disconnect(true);
  }
}
