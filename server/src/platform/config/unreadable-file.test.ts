import { describe, expect, it } from 'vitest';
import { describeUnreadable } from './unreadable-file.ts';

const failure = (code: string) => Object.assign(new Error(code), { code });

describe('a file that cannot be read', () => {
  it.each([
    ['ENOENT', 'it does not exist'],
    ['EISDIR', 'it is a folder'],
    ['EACCES', `user ${process.getuid?.() ?? ''} of this process may not read it. Change its owner or its mode`],
    ['EIO', 'EIO'],
  ])('is named by its path, with the reason for %s', (code, reason) => {
    expect(describeUnreadable('/tmp/root-key', failure(code))).toBe(
      `names the file /tmp/root-key, which cannot be read: ${reason}`,
    );
  });

  it.each(['hunter2', '/Zm9vYmFyYmF6cXV4/cXV1eGNvcmdlZ3JhdWx0Z2FycGx5', 'Zm9v/YmFy'])(
    'is not named if somebody put the secret in place of the path',
    (secret) => {
      const message = describeUnreadable(secret, failure('ENOENT'));
      expect(message).not.toContain(secret);
      expect(message).toContain('which cannot be read: it does not exist');
    },
  );
});
