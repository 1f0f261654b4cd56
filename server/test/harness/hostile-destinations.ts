import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { TLSSocket } from 'node:tls';

/**
 * The possible results for the client: a status with a complete body, a status with a truncated body, or one of the
 * vault's own errors. For some destinations, two results are acceptable.
 */
export type Containment = 'whole' | 'cut' | 408 | 502;

export interface HostileDestination {
  readonly name: string;
  readonly expected: readonly Containment[];
  readonly behave: (socket: TLSSocket) => void;
}

const ok = 'HTTP/1.1 200 OK\r\n';
const bombs = {
  gzip: gzipSync(Buffer.alloc(64 * 1024 * 1024)),
  br: brotliCompressSync(Buffer.alloc(64 * 1024 * 1024)),
};

const say = (text: string) => (socket: TLSSocket) => void socket.write(text, 'latin1');
const sayAndEnd = (text: string) => (socket: TLSSocket) => void socket.end(text, 'latin1');
const sayAndBreak = (text: string) => (socket: TLSSocket) => void socket.write(text, 'latin1', () => socket.destroy());

/** Repeats the same bytes as fast as the client reads them. */
const flood = (first: string, again: string | Buffer) => (socket: TLSSocket) => {
  const bytes = Buffer.from(again);
  socket.write(first, 'latin1');
  const more = () => {
    while (!socket.destroyed && socket.write(bytes));
  };
  socket.on('drain', more);
  more();
};

/** Sends a few bytes at intervals and never finishes. */
const drip = (first: string, again: string) => (socket: TLSSocket) => {
  socket.write(first, 'latin1');
  const timer = setInterval(() => socket.write(again, 'latin1'), 20);
  socket.on('close', () => clearInterval(timer));
};

const many = (count: number, line: (index: number) => string) =>
  Array.from({ length: count }, (_, at) => line(at)).join('');

const late: readonly Containment[] = [408];
const bad: readonly Containment[] = [502];
const cut: readonly Containment[] = ['cut'];
const whole: readonly Containment[] = ['whole'];

export const hostileDestinations: readonly HostileDestination[] = [
  { name: 'says nothing', expected: late, behave: () => undefined },
  { name: 'spells its status line slowly', expected: late, behave: drip('H', '') },
  { name: 'begins its status line and stops', expected: late, behave: say('HTTP/1.1 2') },
  { name: 'stops after its status line', expected: late, behave: say(ok) },
  { name: 'sends a header slowly and for ever', expected: late, behave: drip(`${ok}X: `, 'x') },
  { name: 'sends headers slowly and for ever', expected: late, behave: drip(ok, 'X: y\r\n') },
  { name: 'sends headers fast and for ever', expected: bad, behave: flood(ok, 'X-Flood: yes\r\n'.repeat(100)) },
  { name: 'sends one header without end', expected: bad, behave: flood(`${ok}X: `, 'x'.repeat(10_000)) },
  { name: 'sends a header name without end', expected: bad, behave: flood(ok, 'x'.repeat(10_000)) },
  {
    name: 'sends 64 KB of headers',
    expected: bad,
    behave: sayAndEnd(`${ok}${many(64, (at) => `X-${at}: ${'x'.repeat(1_000)}\r\n`)}\r\n`),
  },
  { name: 'sends a status line without end', expected: bad, behave: flood('HTTP/1.1 200 ', 'x'.repeat(10_000)) },
  {
    name: 'sends a body slowly and for ever',
    expected: cut,
    behave: drip(`${ok}Transfer-Encoding: chunked\r\n\r\n`, '1\r\nx\r\n'),
  },
  { name: 'sends half a body and stops', expected: cut, behave: say(`${ok}Content-Length: 10\r\n\r\nhalf`) },
  { name: 'sends no body of those it promised', expected: cut, behave: say(`${ok}Content-Length: 10\r\n\r\n`) },
  {
    name: 'sends chunks without end',
    expected: cut,
    behave: flood(`${ok}Transfer-Encoding: chunked\r\n\r\n`, `10000\r\n${'x'.repeat(0x10000)}\r\n`),
  },
  { name: 'sends a body without end', expected: cut, behave: flood(`${ok}\r\n`, Buffer.alloc(65_536)) },
  {
    name: 'sends 10 GB',
    expected: cut,
    behave: flood(`${ok}Content-Length: 10737418240\r\n\r\n`, Buffer.alloc(65_536)),
  },
  {
    name: 'sends tiny chunks without end',
    expected: cut,
    behave: flood(`${ok}Transfer-Encoding: chunked\r\n\r\n`, '1\r\nx\r\n'.repeat(1_000)),
  },
  {
    name: 'sends 100 Continue for ever',
    expected: bad,
    behave: flood('', 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(100)),
  },
  {
    name: 'sends 103 Early Hints for ever',
    expected: bad,
    behave: flood('', 'HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n'.repeat(50)),
  },
  { name: 'sends 102 Processing slowly', expected: [408, 502], behave: drip('', 'HTTP/1.1 102 Processing\r\n\r\n') },
  { name: 'sends one 100 Continue and stops', expected: late, behave: say('HTTP/1.1 100 Continue\r\n\r\n') },
  {
    name: 'switches protocols',
    expected: bad,
    behave: say('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\nwhatever'),
  },
  { name: 'closes at once', expected: bad, behave: (socket) => void socket.end() },
  { name: 'breaks off at once', expected: bad, behave: (socket) => void socket.destroy() },
  { name: 'breaks off in the status line', expected: bad, behave: sayAndBreak('HTTP/1.') },
  { name: 'breaks off in a header', expected: bad, behave: sayAndBreak(`${ok}Content-Le`) },
  { name: 'breaks off in a body', expected: cut, behave: sayAndBreak(`${ok}Content-Length: 100\r\n\r\nhalf`) },
  { name: 'closes in a body', expected: cut, behave: sayAndEnd(`${ok}Content-Length: 100\r\n\r\nhalf`) },
  {
    name: 'breaks off in a chunk',
    expected: cut,
    behave: sayAndBreak(`${ok}Transfer-Encoding: chunked\r\n\r\n64\r\nhalf`),
  },
  {
    name: 'closes before the last chunk',
    expected: cut,
    behave: sayAndEnd(`${ok}Transfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n`),
  },
  { name: 'speaks another protocol', expected: bad, behave: sayAndEnd('SSH-2.0-OpenSSH_9.6\r\n') },
  { name: 'speaks HTTP/2', expected: bad, behave: sayAndEnd('\x00\x00\x12\x04\x00\x00\x00\x00\x00') },
  { name: 'speaks a version that there is not', expected: bad, behave: sayAndEnd('HTTP/9.9 200 OK\r\n\r\n') },
  { name: 'answers without a status line', expected: bad, behave: sayAndEnd('<html>hello</html>') },
  {
    name: 'has two lengths',
    expected: bad,
    behave: sayAndEnd(`${ok}Content-Length: 2\r\nContent-Length: 3\r\n\r\nabc`),
  },
  {
    name: 'has a length and chunks',
    expected: bad,
    behave: sayAndEnd(`${ok}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`),
  },
  { name: 'has a negative length', expected: bad, behave: sayAndEnd(`${ok}Content-Length: -1\r\n\r\n`) },
  {
    name: 'has a length beyond all numbers',
    expected: bad,
    behave: sayAndEnd(`${ok}Content-Length: 99999999999999999999999\r\n\r\n`),
  },
  { name: 'has a length that is no number', expected: bad, behave: sayAndEnd(`${ok}Content-Length: 3, 3\r\n\r\nabc`) },
  {
    name: 'has a chunk of no size',
    expected: cut,
    behave: sayAndEnd(`${ok}Transfer-Encoding: chunked\r\n\r\nzz\r\nabc`),
  },
  {
    name: 'has a chunk beyond all numbers',
    expected: cut,
    behave: sayAndEnd(`${ok}Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\nabc`),
  },
  {
    name: 'has chunk extensions without end',
    expected: cut,
    behave: flood(`${ok}Transfer-Encoding: chunked\r\n\r\n1;`, 'x'.repeat(10_000)),
  },
  {
    name: 'has trailers without end',
    expected: cut,
    behave: flood(`${ok}Transfer-Encoding: chunked\r\n\r\n0\r\n`, 'X: y\r\n'.repeat(1_000)),
  },
  { name: 'has a NUL in a header', expected: bad, behave: sayAndEnd(`${ok}X: a\0b\r\nContent-Length: 0\r\n\r\n`) },
  {
    name: 'has a header without a colon',
    expected: bad,
    behave: sayAndEnd(`${ok}nonsense\r\nContent-Length: 0\r\n\r\n`),
  },
  { name: 'has a blank before a colon', expected: bad, behave: sayAndEnd(`${ok}Content-Length : 0\r\n\r\n`) },
  { name: 'has a bare CR in a header', expected: bad, behave: sayAndEnd(`${ok}X: a\rb\r\nContent-Length: 0\r\n\r\n`) },
  ...['000', '099', '600', '999', 'abc', '2000'].map((status) => ({
    name: `has the status ${status}`,
    expected: bad,
    behave: sayAndEnd(`HTTP/1.1 ${status} Odd\r\nContent-Length: 0\r\n\r\n`),
  })),
  {
    name: 'sends a second answer behind the first',
    expected: whole,
    behave: say(`${ok}Connection: keep-alive\r\nContent-Length: 5\r\n\r\nfirst${ok}Content-Length: 6\r\n\r\nsecond`),
  },
  {
    name: 'sends noise behind its answer',
    expected: whole,
    behave: say(`${ok}Content-Length: 5\r\n\r\nfirst\x00\xff\x00\xff`),
  },
  {
    name: 'sends a body with 204',
    expected: whole,
    behave: say('HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\nfirst'),
  },
  {
    name: 'sends a gzip bomb',
    expected: whole,
    behave: (socket) =>
      void (socket.write(`${ok}Content-Encoding: gzip\r\nContent-Length: ${bombs.gzip.length}\r\n\r\n`),
      socket.end(bombs.gzip)),
  },
  {
    name: 'sends a brotli bomb',
    expected: whole,
    behave: (socket) =>
      void (socket.write(`${ok}Content-Encoding: br\r\nContent-Length: ${bombs.br.length}\r\n\r\n`),
      socket.end(bombs.br)),
  },
];
