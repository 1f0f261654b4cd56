import { describe, expect, inject, it } from 'vitest';
import { collect } from '../harness/collect.ts';
import { nodeClients } from '../harness/node-clients.ts';
import { thrownBy } from '../harness/thrown-by.ts';

const { url, keys, tenantId } = inject('vault');

describe.each(nodeClients)('$name', ({ open, errors }) => {
  const client = open(keys.management, url);
  const tokens = open(keys.private, url);

  describe('logs.list', () => {
    it('paginates until an empty page, newest first', async () => {
      const { id = '' } = await tokens.tokens.create({ type: 'token', data: 'x' });
      for (let time = 0; time < 4; time += 1) await tokens.tokens.get(id);
      await tokens.tokens.delete(id);
      const logs = await collect(await client.logs.list({ entityType: 'token', entityId: id, size: 2 }));
      expect(logs.map(({ message }) => message)).toEqual([
        'Token deleted',
        ...Array.from({ length: 4 }, () => 'Token retrieved'),
        'Token created',
      ]);
      const { id: applicationId } = await tokens.applications.getByKey();
      expect(logs[0]).toMatchObject({
        tenantId,
        actorId: applicationId,
        actorType: 'application',
        entityType: 'token',
        entityId: id,
        operation: 'delete',
        createdAt: expect.any(Date),
      });
    });

    it('filters by date range', async () => {
      const { id = '' } = await tokens.tokens.create({ type: 'token', data: 'x' });
      const [created] = (await client.logs.list({ entityId: id })).data;
      const at = created?.createdAt ?? new Date(0);
      const later = new Date(at.getTime() + 1);
      const count = async (span: { startDate?: Date; endDate?: Date }) =>
        (await client.logs.list({ entityId: id, ...span })).data.length;
      expect(await count({ startDate: at, endDate: later })).toBe(1);
      expect(await count({ endDate: at })).toBe(0);
      expect(await count({ startDate: later })).toBe(0);
    });

    it('throws UnauthorizedError and ForbiddenError', async () => {
      expect(await thrownBy(open('nobody', url).logs.list())).toBeInstanceOf(errors.unauthorized);
      expect(await thrownBy(tokens.logs.list())).toBeInstanceOf(errors.forbidden);
    });

    it('throws BadRequestError for a size beyond the maximum', async () => {
      expect(await thrownBy(client.logs.list({ size: 101 }))).toBeInstanceOf(errors.badRequest);
    });
  });

  describe('logs.getEntityTypes', () => {
    it('lists entity types', async () => {
      const types = await client.logs.getEntityTypes();
      expect(types).toEqual(expect.arrayContaining([{ displayName: 'Card', value: 'card' }]));
      expect(types.map(({ value }) => value)).toEqual(expect.arrayContaining(['application', 'bank', 'card', 'proxy']));
    });

    it('throws UnauthorizedError and ForbiddenError', async () => {
      expect(await thrownBy(open('nobody', url).logs.getEntityTypes())).toBeInstanceOf(errors.unauthorized);
      expect(await thrownBy(tokens.logs.getEntityTypes())).toBeInstanceOf(errors.forbidden);
    });
  });
});
