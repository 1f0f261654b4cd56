import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * An endpoint that speaks as much of the protocol of S3 as the official SDK uses here: put, get, delete and list, with paths
 * that begin with the bucket. It is not a real store. Signatures are required, but not verified.
 */
export class ObjectStorage {
  readonly objects = new Map<string, Buffer>();
  /** What the next requests are refused with, if anything. */
  refusal: { readonly status: number; readonly code: string } | undefined;
  readonly #server: Server;

  static async start(): Promise<ObjectStorage> {
    const storage = new ObjectStorage();
    await new Promise<void>((resolve) => {
      storage.#server.listen(0, '127.0.0.1', resolve);
    });
    return storage;
  }

  private constructor() {
    this.#server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const url = new URL(request.url ?? '/', 'http://storage');
        const answer = this.#answer(request.method ?? '', url, Buffer.concat(chunks));
        const isSigned = request.headers.authorization?.startsWith('AWS4-HMAC-SHA256 ') === true;
        const { status, body } = isSigned ? answer : failure(403, 'AccessDenied');
        response.writeHead(status, { 'content-type': 'application/xml', 'content-length': body.length });
        response.end(body);
      });
    });
  }

  get url(): string {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the server listens on a port.
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => {
      this.#server.close(resolve);
    });
  }

  #answer(method: string, url: URL, content: Buffer): { readonly status: number; readonly body: Buffer } {
    if (this.refusal !== undefined) return failure(this.refusal.status, this.refusal.code);
    const key = decodeURIComponent(url.pathname.slice(1));
    if (method === 'PUT') {
      this.objects.set(key, content);
      return { status: 200, body: Buffer.alloc(0) };
    }
    if (method === 'DELETE') {
      this.objects.delete(key);
      return { status: 204, body: Buffer.alloc(0) };
    }
    if (url.searchParams.get('list-type') === '2') {
      return this.#list(key.replace(/\/$/, ''), url.searchParams.get('prefix') ?? '');
    }
    const found = this.objects.get(key);
    return found === undefined ? failure(404, 'NoSuchKey') : { status: 200, body: found };
  }

  #list(bucket: string, prefix: string): { readonly status: number; readonly body: Buffer } {
    const whole = `${bucket}/${prefix}`;
    const names = [...this.objects.keys()].filter(
      (key) => key.startsWith(whole) && key.slice(whole.length).includes('/'),
    );
    const folders = new Set(names.map((key) => `${prefix}${key.slice(whole.length).split('/')[0]}/`));
    const items = [...folders].map((name) => `<CommonPrefixes><Prefix>${name}</Prefix></CommonPrefixes>`).join('');
    const xml = `<?xml version="1.0"?><ListBucketResult><IsTruncated>false</IsTruncated>${items}</ListBucketResult>`;
    return { status: 200, body: Buffer.from(xml) };
  }
}

function failure(status: number, code: string): { readonly status: number; readonly body: Buffer } {
  return { status, body: Buffer.from(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>no</Message></Error>`) };
}
