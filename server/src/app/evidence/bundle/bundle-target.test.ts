import { describe, expect, it } from 'vitest';
import { sha256 } from '../../../platform/keyring/sealing/sha256.ts';
import { MemoryTarget } from './bundle-target.ts';

describe('a bundle in memory', () => {
  it('has what was added to each file', async () => {
    const target = new MemoryTarget(100);
    await target.append('proofs/records.ndjson', '');
    await target.append('evidence.json', '{}');
    await target.append('evidence.json', '\n');
    expect(target.read('evidence.json').toString()).toBe('{}\n');
    const digest = sha256(Buffer.from('{}\n')).toString('hex');
    expect(await target.describe('evidence.json')).toEqual({ name: 'evidence.json', bytes: 3, sha256: digest });
    expect(target.read('proofs/records.ndjson')).toHaveLength(0);
  });

  it('has no more bytes than it may', async () => {
    const target = new MemoryTarget(5);
    await target.append('evidence.json', 'äa');
    await expect(async () => target.append('evidence.html', 'äb')).rejects.toThrow('more than 5 bytes');
  });
});
