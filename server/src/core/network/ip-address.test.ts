import { isIPv4, isIPv6 } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseIpAddress } from './ip-address.ts';

const hex = (text: string) => {
  const bytes = parseIpAddress(text);
  return bytes === undefined ? undefined : Buffer.from(bytes).toString('hex');
};

describe('parseIpAddress', () => {
  it.each([
    ['1.2.3.4', '01020304'],
    ['255.255.255.255', 'ffffffff'],
    ['::', '00000000000000000000000000000000'],
    ['::1', '00000000000000000000000000000001'],
    ['1::', '00010000000000000000000000000000'],
    ['::ffff:127.0.0.1', '00000000000000000000ffff7f000001'],
    ['64:ff9b::1.2.3.4', '0064ff9b000000000000000001020304'],
    ['1:2:3:4:5:6:7:8', '00010002000300040005000600070008'],
    ['1:2:3:4:5:6:1.2.3.4', '00010002000300040005000601020304'],
    ['1:2:3:4:5:6:7::', '00010002000300040005000600070000'],
    ['ABCD::EF', 'abcd00000000000000000000000000ef'],
  ])('reads %s', (text, bytes) => {
    expect(hex(text)).toBe(bytes);
  });

  it.each(
    [
      '',
      '1',
      '1.2.3',
      '1.2.3.4.5',
      '01.2.3.4',
      '256.1.1.1',
      '1.2.3.4 ',
      '0x7f.0.0.1',
      '127.1',
      ':',
      ':::',
      '1::2::3',
    ].concat([
      '1:2:3:4:5:6:7',
      '1:2:3:4:5:6:7:8:9',
      '1:2:3:4:5:6:7:8::',
      '::1.2.3',
      '1.2.3.4::',
      '1::1.2.3.4:5',
      'fe80::1%lo',
      '[::1]',
      '12345::',
      'g::',
    ]),
  )('refuses %j', (text) => {
    expect(parseIpAddress(text)).toBeUndefined();
  });

  it('agrees with Node about what is an address', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.ipV4(), fc.ipV6(), fc.ipV4Extended(), fc.stringMatching(/^[0-9a-f:.]{1,20}$/)),
        (text) => {
          expect(parseIpAddress(text) !== undefined).toBe(isIPv4(text) || isIPv6(text));
        },
      ),
      { numRuns: 2_000 },
    );
  });
});
