import { createServer, connect, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../test/harness/test-database.ts';
import { EpochChannel } from './epoch-channel.ts';
import { untilPasses } from '../../../../test/harness/deadline.ts';

let test: TestDatabase;
const channels: EpochChannel[] = [];

beforeEach(async () => {
  test = await createTestDatabase();
});
afterEach(async () => {
  await Promise.all(channels.splice(0).map((channel) => channel.stop()));
  await test.drop();
});

function open(url = test.url) {
  const heard: string[] = [];
  const connections = { count: 0 };
  const channel = new EpochChannel(url, {
    onConnected: () => void (connections.count += 1),
    onPayload: (payload) => void heard.push(payload),
  });
  channels.push(channel);
  return { channel, heard, connections };
}

/** A network between server and database that can go silent without closing anything. */
class SilentNetwork {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  isSilent = false;

  static async start(target: URL, port = 0): Promise<SilentNetwork> {
    const network = new SilentNetwork(target);
    await new Promise<void>((resolve) => network.#server.listen(port, '127.0.0.1', resolve));
    return network;
  }

  private constructor(target: URL) {
    this.#server = createServer((near) => {
      const far = connect(Number(target.port), target.hostname);
      for (const [from, to] of [
        [near, far],
        [far, near],
      ] as const) {
        this.#sockets.add(from);
        from.on('data', (chunk) => void (this.isSilent || to.write(chunk)));
        from.on('error', () => undefined);
        from.on('close', () => to.destroy());
      }
    });
  }

  urlOf(target: URL): string {
    const url = new URL(target.href);
    const address = this.#server.address();
    url.port = String(typeof address === 'object' ? address?.port : 0);
    return url.href;
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

describe('EpochChannel', () => {
  it('brings messages to everyone in the order they were sent, however many at once', async () => {
    const [a, b] = [open(), open()];
    await Promise.all([a.channel.start(), b.channel.start()]);
    const payloads = Array.from({ length: 60 }, (_, index) => `${index}${'x'.repeat(7_900)}`);
    await Promise.all(payloads.map((payload) => a.channel.send([payload])));
    await a.channel.send(['last', 'of all']);
    const all = [...payloads, 'last', 'of all'];
    await untilPasses(() => expect([a.heard.length, b.heard.length]).toEqual([all.length, all.length]));
    expect([a.heard, b.heard]).toEqual([all, all]);
  });

  it('counts the others of its own database', async () => {
    const [a, b, c] = [open(), open(), open()];
    await a.channel.start();
    expect(await a.channel.countOthers()).toBe(0);
    await Promise.all([b.channel.start(), c.channel.start()]);
    expect(await a.channel.countOthers()).toBe(2);
  });

  it('drops what is sent without a line, and more than it can carry', async () => {
    const { channel, heard } = open();
    await channel.send(['before the start']);
    expect(await channel.countOthers()).toBe(0);
    await channel.start();
    await Promise.all(Array.from({ length: 1_000 }, (_, index) => channel.send([`${index}`])));
    await channel.send(['last']);
    await untilPasses(() => expect(heard).toContain('last'));
    expect(heard).toHaveLength(64 + 1);
    expect(heard).not.toContain('before the start');
  });

  it('connects again when a message is refused', async () => {
    const { channel, heard, connections } = open();
    await channel.start();
    await channel.send(['x'.repeat(8_000)]);
    await untilPasses(() => expect(connections.count).toBe(2));
    await channel.send(['again']);
    await untilPasses(() => expect(heard).toEqual(['again']));
  });

  it('connects as soon as there is a database', async () => {
    const target = new URL(test.url);
    const network = await SilentNetwork.start(target);
    const url = network.urlOf(target);
    await network.stop();
    const { channel, connections } = open(url);
    await channel.start();
    expect(connections.count).toBe(0);
    const back = await SilentNetwork.start(target, Number(new URL(url).port));
    try {
      await untilPasses(() => expect(connections.count).toBe(1));
    } finally {
      await channel.stop();
      await back.stop();
    }
  });

  it('notices a line that has gone silent, and finds a new one', async () => {
    const target = new URL(test.url);
    const network = await SilentNetwork.start(target);
    try {
      const { channel, heard, connections } = open(network.urlOf(target));
      await channel.start();
      expect(connections.count).toBe(1);
      network.isSilent = true;
      const listening = () =>
        test.owner.query(`select 1 from pg_stat_activity where datname = current_database()
        and application_name = 'strongroom epochs'`);
      await untilPasses(async () => expect((await listening()).rowCount).toBe(0));
      network.isSilent = false;
      await untilPasses(() => expect(connections.count).toBe(2));
      await channel.send(['healed']);
      await untilPasses(() => expect(heard).toEqual(['healed']));
    } finally {
      await network.stop();
    }
  });

  it('stops although the line is silent, and although it is just connecting', async () => {
    const target = new URL(test.url);
    const network = await SilentNetwork.start(target);
    const { channel } = open(network.urlOf(target));
    await channel.start();
    network.isSilent = true;
    await channel.stop();
    await network.stop();

    const late = open();
    const starting = late.channel.start();
    await late.channel.stop();
    await starting;
    expect(late.connections.count).toBe(0);
  });
});
