import { describe, expect, it } from 'vitest';
import { toClientNetwork } from './client-network.ts';
import { findClientAddress } from './forwarded-client.ts';
import { isInRange } from './address-range.ts';
import { parsePeerAddress, parsePeerRange, toAddressText } from './peer-address.ts';

describe('parsePeerAddress', () => {
  const zeros = (count: number) => Array<number>(count).fill(0);
  it.each<[string, number[]]>([
    ['0.0.0.0', [0, 0, 0, 0]],
    ['203.0.113.255', [203, 0, 113, 255]],
    ['::', zeros(16)],
    ['::1', [...zeros(15), 1]],
    ['2001:db8::', [0x20, 0x01, 0x0d, 0xb8, ...zeros(12)]],
    ['2001:DB8:0:0:0:0:0:1', [0x20, 0x01, 0x0d, 0xb8, ...zeros(11), 1]],
    ['1:2:3:4:5:6:7:8', [0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7, 0, 8]],
    ['1:2:3:4:5:6:7::', [0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7, 0, 0]],
    ['fe80::1%eth0', [0xfe, 0x80, ...zeros(13), 1]],
    ['64:ff9b::192.0.2.33', [0, 0x64, 0xff, 0x9b, ...zeros(8), 192, 0, 2, 33]],
    ['::ffff:203.0.113.7', [203, 0, 113, 7]],
    ['::ffff:cb00:7107', [203, 0, 113, 7]],
    ['0:0:0:0:0:FFFF:203.0.113.7', [203, 0, 113, 7]],
  ])('reads %s', (text, bytes) => {
    expect(Array.from(parsePeerAddress(text) ?? [])).toEqual(bytes);
  });

  it.each([
    '',
    'localhost',
    '1.2.3',
    '1.2.3.4.5',
    '1.2.3.256',
    '01.2.3.4',
    '0x1.2.3.4',
    '1.2.3.4 ',
    '1.2.3.-4',
    '16909060',
    ':',
    ':::',
    '1::2::3',
    '1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:8:9',
    '1:2:3:4:5:6:7:8::',
    '12345::',
    'g::',
    '::1.2.3',
    '1.2.3.4::',
    '::1.2.3.4:5',
    '[::1]',
    '1'.repeat(101),
  ])('does not read %j', (text) => {
    expect(parsePeerAddress(text)).toBeUndefined();
  });
});

describe('toAddressText', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['::FFFF:CB00:7107', '203.0.113.7'],
    ['2001:DB8:0:0:1:0:0:1', '2001:db8::1:0:0:1'],
    ['2001:0db8::0001', '2001:db8::1'],
    ['64:ff9b::192.0.2.33', '64:ff9b::c000:221'],
    ['fe80::1%eth0', 'fe80::1'],
    ['::', '::'],
    ['unknown', undefined],
  ])('spells %s as %s', (text, expected) => {
    expect(toAddressText(text)).toBe(expected);
  });
});

describe('a network', () => {
  it.each([
    ['10.0.0.0/8', '10.255.0.1', true],
    ['10.0.0.0/8', '11.0.0.1', false],
    ['192.168.16.0/20', '192.168.31.255', true],
    ['192.168.16.0/20', '192.168.32.0', false],
    ['203.0.113.7', '203.0.113.7', true],
    ['203.0.113.7', '203.0.113.8', false],
    ['0.0.0.0/0', '1.2.3.4', true],
    ['0.0.0.0/0', '::1', false],
    ['::/0', '1.2.3.4', false],
    ['2001:db8::/33', '2001:db8:7fff::1', true],
    ['2001:db8::/33', '2001:db8:8000::1', false],
    ['10.0.0.0/8', '::ffff:10.1.2.3', true],
  ])('%s, and %s in it: %s', (network, address, expected) => {
    const parsed = parsePeerRange(network);
    const bytes = parsePeerAddress(address);
    if (parsed === undefined || bytes === undefined) throw new Error('Neither should be refused.');
    expect(isInRange(bytes, parsed)).toBe(expected);
  });

  it.each(['', '/8', '10.0.0.0/', '10.0.0.0/33', '::/129', '10.0.0.0/8/8', '10.0.0.0/-1', '::ffff:10.0.0.0/104'])(
    'is not %j',
    (text) => {
      expect(parsePeerRange(text)).toBeUndefined();
    },
  );
});

describe('toClientNetwork', () => {
  it.each([
    ['an IPv4 address for itself', ['203.0.113.7', '::ffff:203.0.113.7', '::ffff:cb00:7107'], ['203.0.113.8']],
    ['IPv6 by /64', ['2001:db8:1:2::1', '2001:db8:1:2:ffff:ffff:ffff:ffff'], ['2001:db8:1:3::1', '2001:db8::1']],
    ['what is no address together', ['', 'unknown', 'nonsense'], ['::']],
  ])('counts %s', (_name, same, others) => {
    const networks = same.map(toClientNetwork);
    expect(new Set(networks).size).toBe(1);
    for (const other of others) expect(networks).not.toContain(toClientNetwork(other));
  });

  it.each([
    ['2001:db8:1:2::1', '2001:db8:1:2::/64'],
    ['2001:0DB8:0:20::1', '2001:db8:0:20::/64'],
    ['2001:db8::1', '2001:db8::/64'],
    ['fe80::1%eth0', 'fe80::/64'],
    ['::1', '::/64'],
  ])('writes the network of %s as people do', (address, network) => {
    expect(toClientNetwork(address)).toBe(network);
  });
});

describe('findClientAddress', () => {
  const trusted = ['10.0.0.0/8', '2001:db8:ffff::/48'].flatMap((text) => parsePeerRange(text) ?? []);
  it.each<[string, string, string | undefined, string]>([
    ['is the peer without the header', '10.0.0.1', undefined, '10.0.0.1'],
    ['is a peer that is no proxy of ours, whatever it says', '203.0.113.7', '198.51.100.1', '203.0.113.7'],
    ['is what our proxy says', '10.0.0.1', '203.0.113.7', '203.0.113.7'],
    ['is the nearest that is not ours', '10.0.0.1', '198.51.100.1, 203.0.113.7, 10.0.0.9', '203.0.113.7'],
    ['is not what the client wrote before', '10.0.0.1', '10.0.0.3, 198.51.100.1,203.0.113.7', '203.0.113.7'],
    ['is the farthest of ours if all are', '10.0.0.1', '10.0.0.3,10.0.0.2', '10.0.0.3'],
    ['stops at what is no address', '10.0.0.1', '203.0.113.7, unknown, 10.0.0.2', '10.0.0.2'],
    ['stops at an empty word', '10.0.0.1', '203.0.113.7,', '10.0.0.1'],
    ['knows ports', '10.0.0.1', '203.0.113.7:4711', '203.0.113.7'],
    ['knows ports of IPv6', '2001:db8:ffff::1', '[2001:db8::7]:4711', '2001:db8::7'],
    ['knows brackets', '10.0.0.1', '[2001:db8::7]', '2001:db8::7'],
    ['knows our proxies in their mapped form', '::ffff:10.0.0.1', '203.0.113.7', '203.0.113.7'],
    ['walks no further than twenty hops', '10.0.0.1', `203.0.113.7${',10.0.0.2'.repeat(20)}`, '10.0.0.2'],
  ])('%s', (_name, peer, forwardedFor, expected) => {
    expect(findClientAddress(peer, forwardedFor, trusted)).toBe(expected);
  });

  it('believes nobody where nobody was named', () => {
    expect(findClientAddress('10.0.0.1', '203.0.113.7', [])).toBe('10.0.0.1');
  });
});
