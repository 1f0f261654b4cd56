import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { acceptsGzip } from './accepted-encoding.ts';

const types: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

/** The cache header for a file whose path changes with its content. */
export const keptForever = 'public, max-age=31536000, immutable';

/** A file of a build, held in memory. */
export interface StaticFile {
  readonly name: string;
  readonly bytes: Buffer;
  /** Absent for files that are compressed already, such as typefaces. */
  readonly gzipped: Buffer | undefined;
}

/** Returns true for a file that a page loads, and false for one that only the build uses. */
export function isStaticFile(name: string): boolean {
  return path.extname(name) in types;
}

export function readStaticFile(folder: string, name: string): StaticFile {
  const read = (file: string) => readFileSync(path.join(folder, file));
  return { name, bytes: read(name), gzipped: name.endsWith('.woff2') ? undefined : read(`${name}.gz`) };
}

/** Sends a file, compressed if the client accepts that. The caller sets how long it may be cached. */
export function sendStaticFile(request: FastifyRequest, reply: FastifyReply, file: StaticFile): FastifyReply {
  reply.type(types[path.extname(file.name)] ?? 'application/octet-stream');
  if (file.gzipped === undefined) return reply.send(file.bytes);
  reply.header('vary', 'accept-encoding');
  if (!acceptsGzip(request.headers['accept-encoding'])) return reply.send(file.bytes);
  return reply.header('content-encoding', 'gzip').send(file.gzipped);
}
