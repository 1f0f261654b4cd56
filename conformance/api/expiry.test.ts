import { describe, expect, inject, it } from 'vitest';
import { untilTrue } from '../../server/test/harness/deadline.ts';
import { ApiCaller, type PageResponse } from '../harness/api-caller.ts';

const vault = inject('vault');
const masked = new ApiCaller(vault, vault.keys.private);

describe('States: token expiry', () => {
  it('its time passed: a token is gone from everything that shows tokens', async () => {
    const batch = crypto.randomUUID();
    const expires_at = new Date(Date.now() + 5_000).toISOString();
    const { id } = await masked.store({ expires_at, metadata: { batch } });
    expect((await masked.read(id)).id).toBe(id);
    const isGone = async () => (await masked.get(`/tokens/${id}`)).status === 404;
    await untilTrue(isGone, { waitingFor: 'the end of the token' });
    const list = (await masked.get(`/tokens?metadata.batch=${batch}`)).body as PageResponse;
    expect(list).toMatchObject({ pagination: { total_items: 0 }, data: [] });
    const search = (await masked.post('/tokens/search', { query: `metadata.batch:${batch}` })).body as PageResponse;
    expect(search.data).toEqual([]);
    expect((await masked.post('/detokenize', { a: `{{ ${id} }}` })).status).toBe(400);
    expect((await masked.patch(`/tokens/${id}`, { expires_at: '2050-01-01' })).status).toBe(404);
  });

  it('without an end a token does not expire: the end can be taken away', async () => {
    const { id } = await masked.store({ expires_at: '2050-01-01' });
    await masked.patch(`/tokens/${id}`, { expires_at: null });
    expect(await masked.read(id)).not.toHaveProperty('expires_at');
  });
});
