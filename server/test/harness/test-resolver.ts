import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { parseIpAddress } from '../../src/core/network/ip-address.ts';

/**
 * The response for a name: addresses of either family, or another name to follow. `silence` and
 * `failure` return no addresses.
 */
export type NameAnswer = readonly string[] | 'silence' | 'failure';
/** A name may resolve differently each time. */
export type NameEntry = NameAnswer | (() => NameAnswer);

const types = { A: 1, CNAME: 5, AAAA: 28 } as const;

/**
 * A DNS server over UDP and TCP, on loopback by default, that resolves names from a table. Other names do not exist.
 */
export class TestResolver {
  /** The address in the format of the setting. */
  readonly address: string;
  /** Every query, in the form `A name`. */
  readonly questions: string[] = [];
  readonly #names = new Map<string, NameEntry>();
  readonly #udp: Socket;
  readonly #tcp: Server;

  static async start(host = '127.0.0.1'): Promise<TestResolver> {
    const tcp = createServer().listen(0, host);
    await once(tcp, 'listening');
    const udp = createSocket('udp4');
    try {
      udp.bind((tcp.address() as AddressInfo).port, host);
      await once(udp, 'listening');
      return new TestResolver(udp, tcp);
    } catch (error) {
      udp.close();
      tcp.close();
      // The port is free for one protocol and taken for the other, so another port is tried.
      if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return TestResolver.start(host);
      throw error;
    }
  }

  private constructor(udp: Socket, tcp: Server) {
    this.#udp = udp;
    this.#tcp = tcp;
    const { address, port } = tcp.address() as AddressInfo;
    this.address = `${address}:${port}`;
    udp.on('message', (message, { port, address }) => {
      const answer = this.#answer(message);
      if (answer !== undefined) udp.send(answer, port, address);
    });
    tcp.on('connection', (socket) => {
      socket.on('error', () => undefined);
      socket.on('data', (chunk: Buffer) => {
        const answer = this.#answer(chunk.subarray(2));
        if (answer !== undefined) socket.end(Buffer.concat([uint16(answer.length), answer]));
      });
    });
  }

  /** Sets what a name resolves to from now on. */
  set(name: string, entry: NameEntry): void {
    this.#names.set(name, entry);
  }

  async stop(): Promise<void> {
    this.#udp.close();
    this.#tcp.close();
    await once(this.#tcp, 'close');
  }

  #answer(query: Buffer): Buffer | undefined {
    const { name, type, end } = readQuestion(query);
    this.questions.push(`${type === types.AAAA ? 'AAAA' : 'A'} ${name}`);
    const question = query.subarray(12, end);
    const entry = this.#names.get(name);
    const found = typeof entry === 'function' ? entry() : entry;
    if (found === 'silence') return undefined;
    if (found === 'failure' || found === undefined) return message(query, question, [], found === undefined ? 3 : 2);
    return message(query, question, this.#records(name, found, type), 0);
  }

  /**
   * Returns the records for a name. It follows other names like a resolver, so the response contains the whole chain.
   */
  #records(name: string, values: readonly string[], type: number): Buffer[] {
    return values.flatMap((value) => {
      const bytes = parseIpAddress(value);
      if (bytes === undefined) {
        const entry = this.#names.get(value);
        const next = typeof entry === 'function' ? entry() : (entry ?? []);
        const further = typeof next === 'string' ? [] : this.#records(value, next, type);
        return [record(name, types.CNAME, writeName(value)), ...further];
      }
      const own = bytes.length === 4 ? types.A : types.AAAA;
      return own === type ? [record(name, own, Buffer.from(bytes))] : [];
    });
  }
}

function readQuestion(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

function message(query: Buffer, question: Buffer, answers: readonly Buffer[], code: number): Buffer {
  const head = [query.readUInt16BE(0), 0x8180 | code, 1, answers.length, 0, 0].map(uint16);
  return Buffer.concat([...head, question, ...answers]);
}

function record(name: string, type: number, data: Buffer): Buffer {
  return Buffer.concat([writeName(name), uint16(type), uint16(1), uint16(0), uint16(0), uint16(data.length), data]);
}

function writeName(name: string): Buffer {
  const labels = name.split('.').map((label) => Buffer.concat([Buffer.of(label.length), Buffer.from(label, 'latin1')]));
  return Buffer.concat([...labels, Buffer.of(0)]);
}

function uint16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
}
