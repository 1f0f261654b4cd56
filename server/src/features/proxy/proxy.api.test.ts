import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { untilTrue } from '../../../test/harness/deadline.ts';
import { destinationHost, proxyErrorOf, ProxyVault } from '../../../test/harness/proxy-vault.ts';
import { createApplication } from '../../../test/harness/test-application.ts';
import { headersOf } from '../../../test/harness/tls-destination.ts';

let proxy: ProxyVault;
beforeAll(async () => {
  proxy = await ProxyVault.start();
});
afterAll(() => proxy.stop());

const json = { 'content-type': 'application/json' };

describe('a call that is sent on', () => {
  it('has the value of a token in the place of its reference, and the answer comes back as it is', async () => {
    const id = await proxy.store('4242424242424242');
    const answer = await proxy.call({ body: `{"number": "{{ ${id} }}", "amount": 1.10}`, headers: json });
    expect(answer.text).toBe('{"ok":true}');
    expect(answer.status).toBe(200);
    expect(answer.headers.get('bt-proxy-destination-status')).toBe('200');
    expect(proxy.destination.last.body.toString()).toBe('{"number":"4242424242424242","amount":1.10}');
  });
});
void [destinationHost, proxyErrorOf, createApplication, headersOf, untilTrue, describe];
