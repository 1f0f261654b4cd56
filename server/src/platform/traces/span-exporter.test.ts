import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Sensitive } from '../../core/identity/sensitive.ts';
import { untilPasses } from '../../../test/harness/deadline.ts';
import { toTraceConfig, TraceCollector } from '../../../test/harness/trace-collector.ts';
import { RecordedSpan } from './recorded-span.ts';
import { exportPace, SpanExporter } from './span-exporter.ts';

const pace = { ...exportPace, delayMs: 1, timeoutMs: 200, pauseMinMs: 1, pauseMaxMs: 4, closeMs: 500 };
/** Timeouts for a collector that responds. They are long enough for a slow machine. */
const patience = { timeoutMs: 60_000, closeMs: 60_000 };
const traceId = '0af7651916cd43dd8448eb211c80319c';
const job = { kind: 'job', describe: () => ({ name: 'job sweep-sessions', attributes: {} }) } as const;
let collector: TraceCollector;
let lines: string[];
beforeEach(async () => {
  collector = await TraceCollector.start();
  lines = [];
});
afterEach(() => collector.stop());

function open(own: Partial<typeof pace> = {}, url = collector.url): SpanExporter {
  const keep = (message: string) => void lines.push(message);
  const config = toTraceConfig(url, { headers: new Sensitive({ authorization: 'Bearer secret' }) });
  return new SpanExporter(config, { logger: { info: keep, warn: keep, error: keep }, pace: { ...pace, ...own } });
}

function addSpans(exporter: SpanExporter, count: number): void {
  for (let added = 0; added < count; added += 1) RecordedSpan.root(job, traceId, (span) => exporter.add(span)).end();
}

describe('a collector that takes spans', () => {
  it('gets all of them, in requests of a limited size, with the headers that it asks for', async () => {
    const exporter = open({ ...patience, batchMax: 100 });
    addSpans(exporter, 1_000);
    await untilPasses(() => expect(exporter.counts).toEqual({ sent: 1_000, dropped: 0, failed: 0 }));
    expect(collector.requests).toHaveLength(10);
    expect(collector.requests[0]).toMatchObject({
      method: 'POST',
      url: '/v1/traces',
      headers: { authorization: 'Bearer secret', 'content-type': 'application/json' },
    });
    await exporter.close();
    expect(lines).toEqual([]);
  });

  it('gets what is left at the end', async () => {
    const exporter = open({ ...patience, delayMs: 600_000 });
    addSpans(exporter, 3);
    await exporter.close();
    expect(collector.spans).toHaveLength(3);
  });

  it('is believed about those that it did not take', async () => {
    collector.mood = 'takes-some';
    const exporter = open(patience);
    addSpans(exporter, 3);
    await untilPasses(() => expect(exporter.counts).toEqual({ sent: 2, dropped: 0, failed: 1 }));
    await exporter.close();
  });
});

describe('a collector that takes none', () => {
  it.each(['refuses', 'is-silent', 'never-ends', 'hangs-up'] as const)(
    'because it %s is tried again, and mentioned once',
    async (mood) => {
      collector.mood = mood;
      const exporter = open();
      for (let round = 1; round <= 3; round += 1) {
        addSpans(exporter, 1);
        await untilPasses(() => expect(exporter.counts.failed).toBe(round));
      }
      expect(lines).toEqual(['traces cannot be sent']);
      collector.mood = 'takes';
      addSpans(exporter, 1);
      await untilPasses(() => expect(exporter.counts.sent).toBe(1));
      expect(lines).toEqual(['traces cannot be sent', 'traces are sent again']);
      await exporter.close();
    },
  );

  it('because it does not listen costs no more memory than the queue, and the end does not wait for it', async () => {
    const exporter = open({ queueMax: 100, delayMs: 600_000 }, 'http://127.0.0.1:9/v1/traces');
    addSpans(exporter, 10_000);
    expect(exporter.counts.dropped).toBe(9_900);
    await exporter.close();
    expect(exporter.counts).toEqual({ sent: 0, dropped: 9_900, failed: 100 });
  });

  it('because it is silent does not keep a process from ending', async () => {
    collector.mood = 'is-silent';
    const exporter = open({ timeoutMs: 600_000, delayMs: 600_000, batchMax: 10, closeMs: 50 });
    addSpans(exporter, 30);
    await exporter.close();
    expect(exporter.counts).toMatchObject({ sent: 0, dropped: 20 });
  });
});
