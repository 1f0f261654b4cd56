import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encodeBase58 } from '../../src/core/identity/base58.ts';
import { addElementsRoutes } from '../../src/features/elements/index.ts';
import { readElementsFiles } from '../../src/features/elements/elements-files.ts';
import { ElementsOrigin } from '../../src/http/origins/elements-origin.ts';
import { findFreePort } from '../../src/platform/local-postgres/free-port.ts';
import { Chromium } from '../harness/chromium.ts';
import { ElementsBuild } from '../harness/elements-build.ts';
import { createQuietEdge } from '../harness/quiet-edge.ts';

const key = encodeBase58(Buffer.alloc(16, 7));
const allowed: string[] = [];
let build: ElementsBuild;
let edge: FastifyInstance;
let shop: Server;
let frameUrl: string;
let chromium: Chromium;
beforeAll(async () => {
  [build, chromium] = await Promise.all([ElementsBuild.make(), Chromium.start()]);
  const port = await findFreePort();
  edge = await createQuietEdge({ elements: new ElementsOrigin(`http://localhost:${port}`) });
  addElementsRoutes(edge, {
    build: readElementsFiles(build.folder),
    origins: { findAllowedOrigins: async () => allowed },
    clientKeys: { findPublicKey: async () => undefined },
  });
  await edge.listen({ host: '127.0.0.1', port });
  frameUrl = `http://localhost:${port}/elements/field?key=${key}`;
  shop = createServer((request, response) => {
    const inner = request.url === '/around' ? `http://127.0.0.1:${shopPort()}/shop` : frameUrl;
    response.setHeader('content-type', 'text/html');
    response.end(`<link rel="icon" href="data:,"><iframe src="${inner}"></iframe>`);
  }).listen(0);
  await once(shop, 'listening');
  allowed.push(`http://127.0.0.1:${shopPort()}`);
});
afterAll(async () => {
  await chromium.stop();
  shop.close();
  await edge.close();
  await build.remove();
});

const shopPort = () => (shop.address() as AddressInfo).port;

describe('a frame of the card fields in a browser', () => {
  it('runs in a page of an allowed origin, without a complaint about its policies', async () => {
    const { context, page, complaints } = await chromium.open();
    await page.goto(`http://127.0.0.1:${shopPort()}/shop`);
    await page.frameLocator('iframe').getByText('field').waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });

  it.each([
    ['a page of another origin', '/shop'],
    ['a page of an allowed origin that another one has framed', '/around'],
  ])('does not run in %s', async (_name, path) => {
    const { context, page, complaints } = await chromium.open();
    await page.goto(`http://localhost:${shopPort()}${path}`);
    await expect.poll(() => complaints).toEqual([expect.stringContaining('frame-ancestors')]);
    const texts = await Promise.all(page.frames().map((frame) => frame.locator('body').innerText()));
    expect(texts).not.toContain('field');
    await context.close();
  });
});
