import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ProxyVault } from '../../../../test/harness/proxy-vault.ts';
import { tokenizeNumber } from '../../../../test/harness/stored-proxies.ts';
import { fieldsOf } from '../../../../test/harness/test-application.ts';

const number = '4242424242424242';
let proxy: ProxyVault;
beforeAll(async () => {
  proxy = await ProxyVault.start();
});
afterAll(() => proxy.stop());

const preview = (body: unknown, key = proxy.tenant.keys.management) =>
  proxy.vault.request('POST', '/proxies/preview', { key, body });
const json = { 'Content-Type': 'application/json' };

describe('POST /proxies/preview', () => {
  it('200 shows messages after their transforms, calls nobody and creates nothing', async () => {
    const wanted = {
      request_transforms: [
        tokenizeNumber(),
        { type: 'append_header', options: { location: 'X-Key', value: 'Bearer {{ configuration.KEY }}' } },
      ],
      response_transforms: [
        { type: 'mask', expression: String.raw`(\d{12})\d{4}` },
        { type: 'detokenize', options: { location: '$.id' } },
      ],
      configuration_names: ['KEY'],
      request: { headers: json, body: `{"card":{"number":"${number}"}}` },
      response: { headers: json, body: `{"a":"${number}","id":"any"}` },
    };
    const { status, body } = await preview(wanted);
    expect([status, body]).toEqual([
      200,
      {
        request: {
          headers: { ...json, 'X-Key': 'Bearer •••' },
          body: expect.stringMatching(/^{"card":{"number":"[0-9a-f-]{36}"}}$/),
        },
        response: { headers: json, body: '{"a":"************4242","id":"•••"}' },
        tokens: 1,
        values: 1,
      },
    ]);
    expect(proxy.destination.connectionCount).toBe(0);
    const { rows } = await proxy.vault.database.owner.query('select count(*)::integer as total from tokens');
    expect(rows).toEqual([{ total: 0 }]);
  });

  it('400 and 415 say what a call would be told', async () => {
    const wrong = await preview({ request_transforms: [{ type: 'mask', expression: '(a)' }] });
    expect([wrong.status, fieldsOf(wrong)]).toEqual([400, ['request_transforms.0.type']]);
    const request = { headers: { 'Content-Type': 'text/plain' }, body: number };
    expect((await preview({ request_transforms: [tokenizeNumber()], request })).status).toBe(415);
  });

  it('403 is for those who may create proxies', async () => {
    expect((await preview({}, proxy.tenant.keys.private)).status).toBe(403);
  });
});
