import { createHash, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Manifest {
  readonly type: string;
  readonly content: Buffer;
}

/**
 * A registry on loopback that keeps in memory what is pushed to it. It has the part of the OCI distribution API that a
 * push and a pull need.
 */
export class ImageRegistry implements AsyncDisposable {
  readonly #server: Server;
  readonly #blobs = new Map<string, Buffer>();
  readonly #manifests = new Map<string, Manifest>();

  static async start(): Promise<ImageRegistry> {
    const registry = new ImageRegistry();
    await new Promise<void>((resolve) => registry.#server.listen(0, '127.0.0.1', resolve));
    return registry;
  }

  private constructor() {
    this.#server = createServer((request, response) => {
      this.#answer(request, response).catch(() => response.writeHead(500).end());
    });
  }

  get host(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Returns what was pushed under this name and tag. */
  manifest(name: string, tag: string): unknown {
    const found = this.#manifests.get(`${name}:${tag}`);
    return found === undefined ? undefined : JSON.parse(found.content.toString());
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://registry');
    const content = Buffer.concat((await request.toArray()) as Buffer[]);
    const [, name = '', kind, reference = ''] = /^\/v2\/(.+)\/(blobs|manifests)\/(.+)$/.exec(pathname) ?? [];
    if (kind === undefined) response.writeHead(200).end();
    else if (kind === 'blobs') this.#answerBlob(request, response, { name, reference, content, searchParams });
    else this.#answerManifest(request, response, { name, reference, content });
  }

  #answerBlob(
    request: IncomingMessage,
    response: ServerResponse,
    parts: { name: string; reference: string; content: Buffer; searchParams: URLSearchParams },
  ): void {
    if (request.method === 'POST') {
      response.writeHead(202, { location: `/v2/${parts.name}/blobs/uploads/${randomUUID()}` }).end();
    } else if (request.method === 'PUT') {
      const digest = digestOf(parts.content);
      const isWhole = digest === parts.searchParams.get('digest');
      if (isWhole) this.#blobs.set(digest, parts.content);
      response.writeHead(isWhole ? 201 : 400, { 'docker-content-digest': digest }).end();
    } else send(request, response, { type: 'application/octet-stream', content: this.#blobs.get(parts.reference) });
  }

  #answerManifest(
    request: IncomingMessage,
    response: ServerResponse,
    { name, reference, content }: { name: string; reference: string; content: Buffer },
  ): void {
    if (request.method === 'PUT') {
      const manifest = { type: request.headers['content-type'] ?? '', content };
      for (const key of [reference, digestOf(content)]) this.#manifests.set(`${name}:${key}`, manifest);
      response.writeHead(201, { 'docker-content-digest': digestOf(content) }).end();
    } else {
      const found = this.#manifests.get(`${name}:${reference}`);
      send(request, response, { type: found?.type ?? '', content: found?.content });
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return new Promise((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
    });
  }
}

function send(
  request: IncomingMessage,
  response: ServerResponse,
  { type, content }: { readonly type: string; readonly content: Buffer | undefined },
): void {
  if (content === undefined) {
    response.writeHead(404).end();
    return;
  }
  const headers = {
    'content-type': type,
    'content-length': content.length,
    'docker-content-digest': digestOf(content),
  };
  response.writeHead(200, headers).end(request.method === 'HEAD' ? undefined : content);
}

function digestOf(content: Buffer): string {
  return `sha256:${createHash('sha256').update(content).digest('hex')}`;
}
