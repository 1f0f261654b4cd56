import { describe, expect, it } from 'vitest';
import { Sensitive } from '../../../core/identity/sensitive.ts';
import { PasswordHasher } from './password-hasher.ts';

describe('PasswordHasher', () => {
  it('turns away who comes when many wait, and serves the others', async () => {
    const hasher = new PasswordHasher(2 ** 14);
    const work = Array.from({ length: 12 }, async () => hasher.hash(new Sensitive('x'), Buffer.alloc(16)));
    const outcomes = await Promise.allSettled(work);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
    const refused = outcomes.filter((outcome) => outcome.status === 'rejected').map(({ reason }) => reason as unknown);
    expect(refused).toMatchObject([{ code: 'overloaded' }, { code: 'overloaded' }]);
    expect(await hasher.hash(new Sensitive('x'), Buffer.alloc(16))).toHaveLength(32);
  });

  it('takes one password in whatever form a keyboard gives it', async () => {
    const hasher = new PasswordHasher(2 ** 14);
    const salt = hasher.makeSalt();
    const [composed, decomposed] = await Promise.all(
      ['caf\u00e9', 'cafe\u0301'].map((text) => hasher.hash(new Sensitive(text), salt)),
    );
    expect(composed).toEqual(decomposed);
  });

  it('is scrypt with a cost of 2¹⁷', async () => {
    const hash = await new PasswordHasher().hash(new Sensitive('correct horse'), Buffer.alloc(16, 1));
    expect(hash.toString('hex')).toBe('061361b062c4759f70cefc9509dc3d3b527faa36acc230229ceb8682e0015953');
  });
});
