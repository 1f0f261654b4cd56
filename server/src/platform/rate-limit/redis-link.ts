import type { Redis } from 'ioredis';
import { RedisOutage } from './redis-outage.ts';
import { withinTime } from '../waiting/within-time.ts';

/** The interval at which a server reports its presence and checks Redis. */
const heartbeatMs = 1_000;
/** The interval of probes while Redis does not respond. It determines how soon its recovery is noticed. */
const probeMs = 100;
/** A server that has not reported for this long is considered gone. */
const absentMs = 5_000;
/** A connection that is silent for this long is closed, because the other end may be gone. */
const silenceMs = 2_000;
const reconnectMs = 250;
const presenceKey = 'strongroom:servers';

/** The scripts. Each is one atomic round trip. */
const scripts = {
  /*
   * Counts requests of several clients. For each client, the arguments are the number of requests, and then the limits
   * that they count against, in order. A request that the first limit rejects is not counted against the next. The
   * first request past a limit starts a block by giving the counter a new expiry. Until the counter expires, every
   * request is past the limit. After that, counting starts again.
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
  /* Records the presence of a server, and returns the number of servers. */
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

/** The scripts as methods of the client, whose types cover only the commands of Redis itself. */
interface Scripted {
  count(keyCount: number, ...keysAndValues: readonly (string | number)[]): Promise<number[]>;
  attend(key: string, server: string, absentMs: number): Promise<number>;
}

/**
 * A connection to Redis that never makes callers wait for long. The first late or missing response opens the circuit.
 * From then on, Redis is not queried until a background probe succeeds.
 */
export class RedisLink {
  /** Undefined until the package is loaded, which a server without Redis does not need. */
  #redis: (Redis & Scripted) | undefined;
  readonly #waitMs: number;
  readonly #server = crypto.randomUUID();
  #isUp = false;
  #servers = 1;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;
  #heardAt = performance.now();
  readonly #outage: RedisOutage;

  constructor(options: {
    readonly url: string;
    readonly waitMs: number;
    /** Called once with the reason of an outage, and with undefined when it is over. */
    readonly onReach?: ((reason: string | undefined) => void) | undefined;
  }) {
    this.#waitMs = options.waitMs;
    this.#outage = new RedisOutage(options.onReach);
    this.#schedule();
    void this.#connect(options.url);
  }

  /** True if Redis is available. */
  get isUp(): boolean {
    return this.#isUp;
  }

  /** Why Redis has been unreachable for a while. */
  get outage(): string | undefined {
    return this.#outage.reason;
  }

  /** The number of servers when Redis was last reachable. */
  get servers(): number {
    return this.#servers;
  }

  /** Returns the result of the counting script. Rejects within milliseconds if there is no response. */
  count(keys: readonly string[], values: readonly number[]): Promise<number[]> {
    if (this.#redis === undefined) return Promise.reject(new Error('Redis is not connected yet.'));
    return this.#within(this.#redis.count(keys.length, ...keys, ...values));
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#redis?.disconnect();
  }

  async #connect(url: string): Promise<void> {
    const { Redis: Client } = await import('ioredis');
    if (this.#isClosed) return;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the client adds a method for each script.
    const redis = new Client(url, {
      // Commands do not wait for a connection. A command that cannot be sent immediately is not sent at all.
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      autoResendUnfulfilledCommands: false,
      connectTimeout: silenceMs,
      retryStrategy: () => reconnectMs,
      connectionName: 'strongroom',
      scripts,
    }) as Redis & Scripted;
    redis.on('error', (error) => {
      this.#outage.noteError(error);
      this.#trip();
    });
    redis.on('close', () => this.#trip());
    redis.on('ready', () => void this.#beat());
    this.#redis = redis;
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
      // If this process itself was delayed, the response is already in the socket and is read before the `setImmediate`
      // callback runs.
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
    const next = () => {
      this.#outage.note(this.#isUp);
      this.#schedule();
    };
    this.#timer = setTimeout(() => void this.#beat().finally(next), ms);
    this.#timer.unref();
  }

  /** Sends a heartbeat. Never throws: if a heartbeat fails, the next one retries. */
  async #beat(): Promise<void> {
    const redis = this.#redis;
    if (redis === undefined) return;
    if (redis.status !== 'ready') {
      if (performance.now() - this.#heardAt > silenceMs) this.#reconnect();
      return;
    }
    try {
      // Nothing waits for a heartbeat, so its timeout is longer than that of a request. A short delay under load is not
      // an outage.
      this.#servers = await withinTime(
        redis.attend(presenceKey, this.#server, absentMs),
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

  /**
   * Reconnects. Without this, a connection that hangs while opening would hang forever. A connection that is about to
   * be opened is left alone.
   */
  #reconnect(): void {
    this.#heardAt = performance.now();
    const redis = this.#redis;
    if (redis !== undefined && ['connect', 'ready'].includes(redis.status)) redis.disconnect(true);
  }
}
