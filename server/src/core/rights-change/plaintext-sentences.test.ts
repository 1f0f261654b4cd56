import { describe, expect, it } from 'vitest';
import { toPlaintextSentences } from './plaintext-sentences.ts';
import type { PlaintextRights } from './widens-plaintext.ts';

const nothing: PlaintextRights = {
  type: 'private',
  permissions: [],
  rules: [],
  grantLimit: null,
  expiresAt: null,
  allowedDestinations: null,
};

describe('what rights amount to is said in sentences:', () => {
  it.each<[string, Partial<PlaintextRights>, string[]]>([
    ['masked reading says nothing', { permissions: ['token:read', 'token:create'] }, []],
    [
      'a rule that reveals',
      {
        rules: [{ description: '', priority: 1, container: '/pci/', transform: 'reveal', permissions: ['token:read'] }],
      },
      ['It could read the plaintext of tokens in /pci/.'],
    ],
    [
      'use with destinations, until an end',
      { permissions: ['token:use'], allowedDestinations: ['psp.example.com'], expiresAt: new Date(0) },
      ['It could send the plaintext of all tokens to psp.example.com.', 'All of it ends at 1970-01-01T00:00:00.000Z.'],
    ],
    [
      'use of two containers with many destinations, which are named once',
      {
        rules: ['/a/', '/b/'].map((container, priority) => ({
          description: '',
          priority,
          container,
          transform: 'reveal',
          permissions: ['token:use'],
        })),
        allowedDestinations: ['a.example', 'b.example', 'c.example', 'd.example'],
      },
      [
        'It could send the plaintext of tokens in /a/ to 4 destinations.',
        'It could send the plaintext of tokens in /b/ to 4 destinations.',
        'Its destinations are a.example, b.example, c.example, d.example.',
      ],
    ],
    [
      'use without a list',
      { permissions: ['token:use'] },
      ['It could send the plaintext of all tokens to any destination.'],
    ],
    [
      'plain updates',
      { permissions: ['token:update'] },
      ['It could read the plaintext of all tokens by updating them, and move them to other containers.'],
    ],
    [
      'masked updates',
      { rules: [{ description: '', priority: 1, container: '/a/', transform: 'mask', permissions: ['token:update'] }] },
      ['It could move tokens in /a/ to containers where others see plaintext.'],
    ],
    [
      'management',
      { type: 'management', permissions: ['application:create', 'tenant:invitation:create'] },
      [
        'It could create applications and give them any right.',
        'It could invite people and change the roles of members.',
      ],
    ],
    [
      'management within a limit',
      {
        type: 'management',
        permissions: ['application:update'],
        grantLimit: { permissions: ['token:read'], containers: ['/a/'], transform: 'reveal' },
      },
      ['It could create applications and give them token:read on /a/ with at most reveal.'],
    ],
  ])('%s', (_name, rights, sentences) => {
    expect(toPlaintextSentences({ ...nothing, ...rights })).toEqual(sentences);
  });
});
