import { describe, expect, it } from 'vitest';
import { Metrics } from './metrics.ts';

describe('Metrics', () => {
  it('leaves out what cannot be read, and renders the rest', async () => {
    const metrics = new Metrics();
    let isBroken = false;
    metrics.addGauges('from_database', 'May fail.', 'job', async () => {
      if (isBroken) throw new Error('unreachable');
      return new Map([['sweep', 7]]);
    });
    metrics.addGauge('from_memory', 'Never fails.', () => 3);
    expect(await metrics.render()).toContain('from_database{job="sweep"} 7');
    isBroken = true;
    const text = await metrics.render();
    expect(text).toContain('from_memory 3');
    expect(text).not.toContain('sweep');
  });

  it('reads counts again for every scrape', async () => {
    const metrics = new Metrics();
    const counts = new Map([['a', 1]]);
    metrics.addCounts('kept_elsewhere', 'Counted elsewhere.', ['name'], () =>
      [...counts].map(([name, count]) => ({ labels: { name }, count })),
    );
    expect(await metrics.render()).toContain('kept_elsewhere{name="a"} 1');
    counts.set('a', 5);
    expect(await metrics.render()).toContain('kept_elsewhere{name="a"} 5');
  });
});
