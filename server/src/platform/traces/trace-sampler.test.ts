import { SamplingDecision, TraceIdRatioBasedSampler } from '@opentelemetry/sdk-trace';
import { describe, expect, it } from 'vitest';
import type { SamplerName } from './trace-config.ts';
import { TraceSampler } from './trace-sampler.ts';

const anyId = () => crypto.randomUUID().replaceAll('-', '');
const parent = (isSampled: boolean) => ({ traceId: anyId(), spanId: '00f067aa0ba902b7', isSampled });
const samplerOf = (sampler: SamplerName, more: { ratio?: number; perSecondMax?: number } = {}, now = () => 0) =>
  new TraceSampler({ sampler, ratio: 1, perSecondMax: 1_000_000, ...more }, now);

describe('a sampler', () => {
  it.each([
    ['always_on', true, true, true],
    ['always_off', false, false, false],
    ['parentbased_always_on', true, true, false],
    ['parentbased_always_off', false, true, false],
  ] as const)('%s without a parent, with a sampled one and with another: %s, %s, %s', (name, alone, taken, left) => {
    const sampler = samplerOf(name);
    expect(sampler.takes(anyId())).toBe(alone);
    expect(sampler.takes(anyId(), parent(true))).toBe(taken);
    expect(sampler.takes(anyId(), parent(false))).toBe(left);
  });

  it.each([0, 0.05, 0.5, 1])('by ratio takes %d of all traces, as many as that of OpenTelemetry', (ratio) => {
    const own = samplerOf('traceidratio', { ratio });
    const reference = new TraceIdRatioBasedSampler(ratio);
    const ids = Array.from({ length: 5_000 }, anyId);
    const taken = ids.filter((id) => own.takes(id)).length / ids.length;
    const expected =
      ids.filter(
        (id) => reference.shouldSample(undefined as never, id).decision === SamplingDecision.RECORD_AND_SAMPLED,
      ).length / ids.length;
    expect(Math.abs(taken - ratio)).toBeLessThan(0.04);
    expect(Math.abs(taken - expected)).toBeLessThan(0.06);
  });

  it('by ratio decides alike for one trace in every process', () => {
    const [one, other] = [samplerOf('traceidratio', { ratio: 0.5 }), samplerOf('traceidratio', { ratio: 0.5 })];
    for (const id of Array.from({ length: 100 }, anyId)) expect(one.takes(id)).toBe(other.takes(id));
  });

  it('takes no more in a second than it may, whatever callers ask for', () => {
    let nowMs = 0;
    const sampler = samplerOf('parentbased_always_on', { perSecondMax: 10 }, () => nowMs);
    const takeMany = () =>
      Array.from({ length: 100 }, () => sampler.takes(anyId(), parent(true))).filter(Boolean).length;
    expect(takeMany()).toBe(10);
    expect(sampler.limitedCount).toBe(90);
    nowMs += 500;
    expect(takeMany()).toBe(5);
    nowMs += 60_000;
    expect(takeMany()).toBe(10);
  });
});
