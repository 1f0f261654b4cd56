import { readFileSync } from 'node:fs';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { sha256 } from '../../platform/keyring/sealing/sha256.ts';
import { addPolicy, pageOptions } from '../pages/page-reply.ts';

const page = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><link rel="icon" href="/portal/assets/icon.svg" type="image/svg+xml"><title>Strongroom API</title></head>
<body>
<div id="app"></div>
<script src="/docs/js/scalar.js"></script>
<script src="/docs/js/reference.js"></script>
</body>
</html>
`;

/**
 * The content security policy of the page. The page shares an origin with the portal, so an injected script could act
 * there as the signed-in user. The policy therefore allows only the vault's own files and no inline scripts. The
 * reference creates styles at run time, so styles are not restricted.
 */
const policy = [
  `default-src 'none'`,
  `script-src 'self'`,
  `style-src 'self' 'unsafe-inline'`,
  `img-src 'self' data:`,
  `font-src 'self' data:`,
  `connect-src 'self'`,
  `form-action 'none'`,
  `base-uri 'none'`,
  `frame-ancestors 'none'`,
];

/** Shows `/openapi.json` at `/docs`, with a script that is part of this repository (`assets/vendor`). */
export function addReferencePage(app: FastifyInstance): void {
  const options = { ...pageOptions, onRequest: addPageHeaders };
  const serve = (path: string, type: string, { bytes, etag }: Served) => {
    app.get(path, options, (request, reply) => {
      reply.header('etag', etag).header('cache-control', 'no-cache');
      if (request.headers['if-none-match'] === etag) return reply.code(304).send();
      return reply.type(type).send(bytes);
    });
  };
  serve('/docs', 'text/html; charset=utf-8', toServed(Buffer.from(page, 'utf8')));
  serve('/docs/js/scalar.js', 'text/javascript; charset=utf-8', readAsset('vendor/scalar.js'));
  serve('/docs/js/reference.js', 'text/javascript; charset=utf-8', readAsset('reference.js'));
}

interface Served {
  readonly bytes: Buffer;
  readonly etag: string;
}

/** The files that were read. Several servers in one process share a copy, because the scripts are megabytes long. */
const assets = new Map<string, Served>();

/** Reads a file from `assets/`. That folder is beside `src/` and `dist/`, so the same path works from both. */
function readAsset(file: string): Served {
  const asset = assets.get(file) ?? toServed(readFileSync(new URL(`../../../assets/${file}`, import.meta.url)));
  assets.set(file, asset);
  return asset;
}

function toServed(bytes: Buffer): Served {
  return { bytes, etag: `"${sha256(bytes).toString('base64')}"` };
}

function addPageHeaders(_request: FastifyRequest, reply: FastifyReply, done: () => void): void {
  addPolicy(reply, policy);
  reply.header('referrer-policy', 'no-referrer');
  reply.header('cross-origin-resource-policy', 'same-origin');
  done();
}
