import type { FastifyInstance, FastifyReply } from 'fastify';
import { type ApplicationKeyId, isUuid } from '../../core/identity/ids.ts';
import { decodeKeyId } from '../../platform/keyring/sign-in/api-key.ts';
import { type ElementsFiles, fileOf, pathOf } from './elements-files.ts';
import { elementsConstraint } from '../../http/origins/elements-origin.ts';
import { pageOptions, sendPage } from '../../http/pages/page-reply.ts';
import { keptForever, sendStaticFile } from '../../http/pages/static-file.ts';
import { type AllowedOriginFinder, findOriginsOf } from './allowed-origins.ts';
import { renderController, renderField } from './frame-document.ts';
import { frameHeaders } from './frame-headers.ts';

interface FrameRoute {
  readonly Querystring: { readonly key?: unknown };
}

interface CheckRoute {
  readonly Querystring: { readonly key?: unknown; readonly origin?: unknown };
}

interface KeyRoute {
  readonly Querystring: { readonly key?: unknown; readonly id?: unknown };
}

/** Finds client keys. Implemented by the client keys feature. */
export interface ClientKeyFinder {
  findPublicKey(keyId: ApplicationKeyId, clientKeyId: string): Promise<string | undefined>;
}

/** Routes of the vault do not exist on the elements origin, and these routes exist nowhere else. */
const options = { ...pageOptions, constraints: elementsConstraint };

/** Cache control for a file whose path stays the same across releases. */
const keptShortly = 'public, max-age=300';

/** Adds the routes of the elements origin. `build` is undefined in a checkout that has not been built. */
export function addElementsRoutes(
  app: FastifyInstance,
  {
    build,
    origins,
    clientKeys,
  }: {
    readonly build: ElementsFiles | undefined;
    readonly origins: AllowedOriginFinder;
    readonly clientKeys: ClientKeyFinder;
  },
): void {
  addCheckRoute(app, origins);
  addEncryptionKeyRoute(app, origins, clientKeys);
  if (build === undefined) {
    addUnbuiltRoutes(app);
    return;
  }
  addFileRoutes(app, build);
  addClientRoutes(app, build);
  const frames = { '/elements/field': renderField(build), '/elements/controller': renderController(build) };
  for (const [path, page] of Object.entries(frames)) {
    app.get<FrameRoute>(path, options, async (request, reply) => {
      const allowed = (await findOriginsOf(origins, request.query.key)) ?? [];
      reply.headers(frameHeaders(allowed)).removeHeader('access-control-allow-origin');
      return sendPage(reply, page);
    });
  }
}

/** Adds a route that explains why a frame did not start, for the developer console. Browsers do not tell the page. */
function addCheckRoute(app: FastifyInstance, origins: AllowedOriginFinder): void {
  app.get<CheckRoute>('/elements/check', options, async ({ query }, reply) => {
    allowEveryPage(reply);
    const allowed = await findOriginsOf(origins, query.key);
    if (allowed === undefined) return { allowed: false, reason: 'unknown-key' };
    if (allowed.length === 0) return { allowed: false, reason: 'no-origins' };
    return allowed.some((origin) => origin === query.origin)
      ? { allowed: true }
      : { allowed: false, reason: 'other-origin' };
  });
}

/**
 * Adds a route that returns the public half of a client key to a frame. A frame encrypts only with keys that the vault
 * returns. A page could otherwise give it a key of its own, and decrypt what was typed.
 */
function addEncryptionKeyRoute(app: FastifyInstance, origins: AllowedOriginFinder, clientKeys: ClientKeyFinder): void {
  app.get<KeyRoute>('/elements/encryption-key', options, async ({ query }, reply) => {
    reply.header('cache-control', 'no-store');
    const { key, id } = query;
    const keyId = typeof key === 'string' ? decodeKeyId(key) : undefined;
    const isKnown = keyId !== undefined && typeof id === 'string' && isUuid(id);
    const isForPages = isKnown && ((await origins.findAllowedOrigins(keyId)) ?? []).length > 0;
    return { public_key_pem: isForPages ? ((await clientKeys.findPublicKey(keyId, id)) ?? null) : null };
  });
}

function addFileRoutes(app: FastifyInstance, build: ElementsFiles): void {
  const { version, files } = build;
  const sums = Object.fromEntries(files.map(({ name, integrity }) => [name, integrity]));
  app.get('/elements/manifest.json', options, (_request, reply) => {
    allowEveryPage(reply).header('cache-control', 'no-cache');
    return reply.send({ version, files: sums });
  });
  for (const file of files) {
    app.get(pathOf(build, file), options, (request, reply) => {
      allowEveryPage(reply).header('cache-control', keptForever);
      return sendStaticFile(request, reply, file);
    });
  }
}

/** Adds the routes of the client script: the path of the vault, and the path that published packages request. */
function addClientRoutes(app: FastifyInstance, build: ElementsFiles): void {
  const client = fileOf(build, 'client.js');
  // The tag is weak because it identifies the content, independent of the compression.
  const tag = `W/"${build.version}"`;
  for (const path of ['/elements/client.js', '/web-elements/:version/client/index.js']) {
    app.get(path, options, (request, reply) => {
      allowEveryPage(reply).header('cache-control', keptShortly).header('etag', tag);
      if (!(request.headers['if-none-match'] ?? '').split(/,\s*/).includes(tag))
        return sendStaticFile(request, reply, client);
      return reply.header('vary', 'accept-encoding').code(304).send();
    });
  }
}

function addUnbuiltRoutes(app: FastifyInstance): void {
  const text = 'The card fields have not been built. Run `npm run build` and start the vault again.\n';
  for (const path of ['/elements/*', '/web-elements/*']) {
    app.get(path, options, (_request, reply) => reply.code(503).type('text/plain; charset=utf-8').send(text));
  }
}

/** Allows every page. The headers are the same for all pages, so that one cached copy serves all of them. */
function allowEveryPage(reply: FastifyReply): FastifyReply {
  return reply.header('access-control-allow-origin', '*').header('cross-origin-resource-policy', 'cross-origin');
}
