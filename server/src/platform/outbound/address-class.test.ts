import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { classifyAddress } from './address-class.ts';
import { isInRange, parseAddressRange } from '../../core/network/address-range.ts';
import { parseIpAddress } from '../../core/network/ip-address.ts';

const classOf = (text: string) => classifyAddress(parseIpAddress(text) ?? new Uint8Array());

describe('classifyAddress', () => {
  it.each([
    ['127.0.0.1', 'loopback'],
    ['10.1.1.1', 'private'],
    ['100.64.0.1', 'shared'],
    ['169.254.169.254', 'link-local'],
    ['168.63.129.16', 'platform'],
    ['::ffff:8.8.8.8', 'ipv6-special'],
    ['fd00::1', 'ipv6-special'],
    ['2001:db8::1', 'documentation'],
    ['2002::1', 'relay'],
  ])('%s is %s', (address, expected) => {
    expect(classOf(address)).toBe(expected);
  });

  /**
   * These are the addresses next to each range. If one of them were refused, a provider with that address could not be
   * called.
   */
  it.each(
    '1.0.0.0 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0 168.63.129.15 168.63.129.17'
      .concat(
        ' 169.253.255.255 169.255.0.0 172.15.255.255 172.32.0.0 191.255.255.255 192.0.1.0 192.0.3.0 192.31.195.255',
      )
      .concat(
        ' 192.31.197.0 192.88.98.255 192.88.100.0 192.167.255.255 192.169.0.0 198.17.255.255 198.20.0.0 223.255.255.255',
      )
      .concat(
        ' 2000::1 2001:200::1 2001:db7:ffff::1 2001:db9::1 2003::1 2620:4f:7fff::1 2620:4f:8001::1 3ffe::1 3fff:1000::1',
      )
      .split(' '),
  )('%s is public', (address) => {
    expect(classOf(address)).toBe('public');
  });

  it('lets no IPv6 address pass that lies outside 2000::/3', () => {
    const bytes = fc.uint8Array({ minLength: 16, maxLength: 16 });
    fc.assert(
      fc.property(bytes, (address) => {
        if ((address[0] ?? 0) >> 5 !== 1) expect(classifyAddress(address)).not.toBe('public');
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('a range', () => {
  it('holds exactly the addresses that share its bits', () => {
    const range = parseAddressRange('10.20.48.0/20');
    const holds = (text: string) => range !== undefined && isInRange(parseIpAddress(text) ?? new Uint8Array(), range);
    expect(['10.20.48.0', '10.20.63.255'].map(holds)).toEqual([true, true]);
    expect(['10.20.47.255', '10.20.64.0', '::ffff:10.20.48.0'].map(holds)).toEqual([false, false, false]);
  });
});
