import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MovingVault } from '../../../../test/harness/moving-vault.ts';
import { listDatabases, listDisorder } from '../../../../test/harness/node-inventory.ts';
import { OwnerLink } from '../../database/owner-link.ts';

let moved: MovingVault;
beforeAll(async () => {
  moved = await MovingVault.start();
});
afterAll(() => moved.vault.stop());

/** A move whose process is stopped after drawers have left, until it is told to go on. */
async function hang(): Promise<{ readonly goOn: () => void; readonly ended: Promise<unknown> }> {
  const [reached, going] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const ended = moved.move('node-1', 'node-2', {
    async onStep(step) {
      if (step !== 'leaving') return;
      reached.resolve();
      await going.promise;
    },
  });
  ended.catch(() => undefined);
  await Promise.race([reached.promise, ended]);
  return { goOn: going.resolve, ended };
}

describe('a move that hangs', () => {
  it('is ended as the next command says, which then completes it; the first one can do nothing more', async () => {
    const shown = await moved.showAll();
    const { goOn, ended } = await hang();
    const refusal = await moved.finish().then(String, String);
    const [ending = ''] = /select pg_terminate_backend.*current_database\(\)/.exec(refusal) ?? [];
    for (const { database } of listDatabases(moved.vault)) {
      expect((await database.owner.query(ending)).rowCount).toBe(1);
    }
    expect(await moved.finish()).toMatchObject([{ from: 'node-1', to: 'node-2', isGivenUp: false }]);
    goOn();
    await expect(ended).rejects.toThrow();
    expect(await listDisorder(moved.vault)).toEqual([]);
    expect(await moved.showAll()).toEqual(shown);
  });

  it('has sessions that end by themselves within a transaction, or when its machine is gone', async () => {
    const options = {
      url: moved.vault.database.url,
      variable: 'STRONGROOM_NODES',
      applicationName: 'strongroom nodes',
    };
    const names = ['idle_in_transaction_session_timeout', 'tcp_keepalives_idle', 'tcp_keepalives_count'];
    const set = await OwnerLink.with(options, (link) =>
      link.transaction((tx) =>
        tx.query({ text: 'select current_setting(name) as value from unnest($1::text[]) as name', values: [names] }),
      ),
    );
    expect(set).toEqual([{ value: '15s' }, { value: '10' }, { value: '3' }]);
  });
});
