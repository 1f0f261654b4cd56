import { describe, expect, it } from 'vitest';
import { hexOf, readVectors } from '../../../../test/harness/standard-vectors.ts';
import { agree, makeKeyPair, publicKeyOf } from './x25519.ts';

describe('X25519', () => {
  const vectors = readVectors('asymmetric/X25519/rfc7748.txt', 'COUNT');

  it.each(vectors.map((vector, index) => [index + 1, vector] as const))(
    'gives vector %i of RFC 7748 §5.2',
    (_, vector) => {
      const [scalar, u, output] = [hexOf(vector, 'INPUT_SCALAR'), hexOf(vector, 'INPUT_U'), hexOf(vector, 'OUTPUT_U')];
      expect(agree(scalar, u)).toEqual(output);
      const basePoint = Buffer.concat([Buffer.of(9), Buffer.alloc(31)]);
      expect(publicKeyOf(scalar)).toEqual(agree(scalar, basePoint));
    },
  );

  it('brings both sides to one secret, and a third to another', () => {
    const [a, b, c] = [makeKeyPair(), makeKeyPair(), makeKeyPair()];
    const shared = agree(a.secret, b.publicKey);
    expect(shared).toHaveLength(32);
    expect(agree(b.secret, a.publicKey)).toEqual(shared);
    expect(agree(c.secret, a.publicKey)).not.toEqual(shared);
    expect(agree(c.secret, b.publicKey)).not.toEqual(shared);
  });

  /** The low-order points, whose product is the same for every secret. */
  it.each([
    '0000000000000000000000000000000000000000000000000000000000000000',
    '0100000000000000000000000000000000000000000000000000000000000000',
    'e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800',
    '5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157',
    'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
    'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
    'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  ])('refuses the point of low order %s', (point) => {
    expect(agree(makeKeyPair().secret, Buffer.from(point, 'hex'))).toBeUndefined();
  });
});
