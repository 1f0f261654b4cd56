import { describe, expect, it } from 'vitest';
import { openWhole } from './open-whole.ts';

describe('openWhole', () => {
  it('closes what was open in reverse when the start fails halfway, and tells of the first failure', async () => {
    const closed: string[] = [];
    const start = openWhole(async (opened) => {
      for (const name of ['database', 'feed', 'server']) {
        opened.defer(() => {
          closed.push(name);
          if (name === 'feed') throw new Error('the feed cannot be closed');
        });
      }
      throw new Error('the port is taken');
    });
    await expect(start).rejects.toThrow('the port is taken');
    expect(closed).toEqual(['server', 'feed', 'database']);
  });

  it('leaves everything open when the start succeeds', async () => {
    const closed: string[] = [];
    const opened = await openWhole(async (stack) => {
      stack.defer(() => void closed.push('database'));
      return stack;
    });
    expect(closed).toEqual([]);
    await opened.disposeAsync();
    expect(closed).toEqual(['database']);
  });
});
