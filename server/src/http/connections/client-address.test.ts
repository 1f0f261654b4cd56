import { describe, expect, it } from 'vitest';
import { parsePeerRange } from '../../core/network/peer-address.ts';
import { createClientFinder } from './client-address.ts';

describe('the address of a client', () => {
  const trusted = parsePeerRange('10.0.0.0/8');
  const addressOf = (remoteAddress: string, forwardedFor?: string) =>
    createClientFinder(trusted === undefined ? [] : [trusted])({
      headers: forwardedFor === undefined ? {} : { 'x-forwarded-for': forwardedFor },
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only this property of the socket is used.
      socket: { remoteAddress } as never,
    }).address;

  it('has one spelling, so that the log finds all that a client did', () => {
    expect(addressOf('203.0.113.7')).toBe('203.0.113.7');
    expect(addressOf('::ffff:203.0.113.7')).toBe('203.0.113.7');
    expect(addressOf('10.0.0.1', '2001:DB8:0::7')).toBe('2001:db8::7');
    expect(addressOf('::ffff:10.0.0.1', '::ffff:203.0.113.7')).toBe('203.0.113.7');
    expect(addressOf('unknown')).toBe('unknown');
  });
});
