import { describe, expect, it } from 'vitest';
import { parseTraceParent } from './trace-parent.ts';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const spanId = '00f067aa0ba902b7';

describe('a traceparent', () => {
  it.each([
    ['01', true],
    ['00', false],
    // The lowest bit alone means sampled. Later versions may set others.
    ['03', true],
    ['fe', false],
  ])('with the flags %s is sampled: %s', (flags, isSampled) => {
    expect(parseTraceParent(`00-${traceId}-${spanId}-${flags}`)).toEqual({ traceId, spanId, isSampled });
  });

  it('of a later version is read as far as it is known', () => {
    const known = { traceId, spanId, isSampled: true };
    expect(parseTraceParent(`01-${traceId}-${spanId}-01`)).toEqual(known);
    expect(parseTraceParent(`cc-${traceId}-${spanId}-01-what-the-future-brings`)).toEqual(known);
  });

  it.each([
    ['is not there', undefined],
    ['is there twice', [`00-${traceId}-${spanId}-01`, `00-${traceId}-${spanId}-01`]],
    ['is empty', ''],
    ['has a version that is none', `ff-${traceId}-${spanId}-01`],
    ['has more than its version', `00-${traceId}-${spanId}-01-`],
    ['has a trace id of zeros', `00-${'0'.repeat(32)}-${spanId}-01`],
    ['has a parent id of zeros', `00-${traceId}-${'0'.repeat(16)}-01`],
    ['is in upper case', `00-${traceId.toUpperCase()}-${spanId}-01`],
    ['is too short', `00-${traceId.slice(1)}-${spanId}-01`],
    ['has other characters', `00-${traceId.slice(1)}g-${spanId}-01`],
    ['is followed by a line', `00-${traceId}-${spanId}-01\n`],
    ['of a later version goes on too long', `01-${traceId}-${spanId}-01-${'a'.repeat(10_000)}`],
    ['of a later version goes on without a dash', `01-${traceId}-${spanId}-01a`],
  ])('that %s is ignored', (_, header) => {
    expect(parseTraceParent(header)).toBeUndefined();
  });
});
