import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { installTools, runProgram, runTool, toolsFolder } from '../harness/description-tools.ts';
import { maskedCard } from '../harness/value-forms.ts';

const { url, keys } = inject('vault');
const { url: servedUrl } = inject('limitedVault');
const destination = inject('destinationUrl');
const description = path.join(toolsFolder, 'node_modules/.cache-openapi.json');
const generatedTypes = path.join(toolsFolder, 'api.d.ts');
const portalTypes = path.resolve(import.meta.dirname, '../../portal/src/api/schema.d.ts');
const served = path.join(toolsFolder, 'node_modules/.cache-served-openapi.json');

beforeAll(async () => {
  await installTools();
  await writeFile(description, await (await fetch(`${url}/openapi.json`)).text());
  await runTool('openapi-typescript', [description, '--output', generatedTypes]);
  await writeFile(served, await (await fetch(`${servedUrl}/openapi.json`)).text());
}, 120_000);

describe('The description of the API', { timeout: 120_000 }, () => {
  it('passes the recommended rules of a linter that others use, without a warning', async () => {
    // The linter rightly warns about localhost, so this description comes from a vault with a public address.
    const report = await runTool('redocly', ['lint', '--extends', 'recommended', '--format', 'json', served]);
    expect(JSON.parse(report)).toMatchObject({ totals: { errors: 0, warnings: 0, ignored: 0 }, problems: [] });
  });

  it('is what the portal is typed with', async () => {
    const types = await readFile(generatedTypes, 'utf8');
    // `npm run portal:types` sets this variable.
    if (process.env['PORTAL_TYPES'] === 'write') await writeFile(portalTypes, types);
    expect(await readFile(portalTypes, 'utf8')).toBe(types);
  });

  it('is enough to generate a client that compiles, and creates, reads, lists, searches and proxies', async () => {
    await runTool('tsc', ['--project', 'tsconfig.json']);
    const outcome = JSON.parse(await runProgram('journey.ts', [url, keys.private, destination])) as Outcome;

    const { id, proxied, ...rest } = outcome;
    expect(rest).toEqual({
      read: { ...maskedCard },
      changed: { batch: expect.any(String), changed: 'yes' },
      found: [id, id, id],
      total: 2,
      pageSize: 1,
      problem: 404,
      isTaken: true,
      refused: { proxy_error: expect.objectContaining({ status: 400 }) },
      deleted: 204,
    });
    const sent = JSON.stringify({ number: '4242424242424242' });
    expect(proxied.map((echo) => [echo.method, echo.path, echo.body])).toEqual([
      ['POST', '/v1', sent],
      ['POST', '/v1/charges', sent],
      ['PUT', '/v1/charges', sent],
      ['PATCH', '/v1/charges', sent],
      ['DELETE', '/v1/charges', sent],
      ['GET', '/v1/charges', ''],
    ]);
  });
});

/** The output of `journey.ts`. */
interface Outcome {
  readonly id: string;
  readonly proxied: readonly { readonly method: string; readonly path: string; readonly body: string }[];
}
