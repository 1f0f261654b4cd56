import { describe, expect, it } from 'vitest';
import { acceptsGzip } from './accepted-encoding.ts';

describe('a client reads gzip', () => {
  it.each(['gzip', 'br, gzip', 'GZIP;q=0.5', 'deflate, gzip;q=1.0, *;q=0.5'])('with %s', (header) => {
    expect(acceptsGzip(header)).toBe(true);
  });

  it.each([undefined, '', 'identity', 'br', 'gzip;q=0', 'br, gzip; q=0.000', 'x-gzip2'])('not with %s', (header) => {
    expect(acceptsGzip(header)).toBe(false);
  });
});
