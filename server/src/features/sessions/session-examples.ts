import { type ApiExample, invalid } from '../../http/routes/api-examples.ts';
import { exampleEnd, exampleSecrets } from '../../http/routes/example-values.ts';

const { nonce, sessionKey } = exampleSecrets;

export const sessionExamples = {
  createSession: [
    {
      summary: 'With the key of a public application',
      status: 201,
      key: 'public',
      response: { session_key: sessionKey, nonce, expires_at: exampleEnd },
    },
    {
      summary: 'With the key of another application',
      status: 403,
      key: 'private',
      problem: { code: 'forbidden', detail: 'Only the key of a public application can create a session.' },
    },
  ],
  authorizeSession: [
    {
      summary: 'Neither permissions nor rules',
      status: 400,
      key: 'private',
      request: { body: { nonce } },
      problem: invalid({ permissions: ['permissions and rules must not both be empty'] }),
    },
    {
      summary: 'More than the authorizing application has',
      status: 403,
      key: 'private',
      request: {
        body: {
          nonce,
          rules: [{ priority: 1, container: '/pci/', transform: 'reveal', permissions: ['token:read'] }],
        },
      },
      problem: {
        code: 'forbidden',
        detail:
          'Missing transform: reveal for token:read on container /pci/. The authorizing application has mask on container /. A session cannot have more access than the application that authorizes it.',
      },
    },
    {
      summary: 'A session that card fields have not created',
      status: 403,
      key: 'private',
      request: { body: { nonce, permissions: ['token:create'], origin: 'elements' } },
      problem: {
        code: 'forbidden',
        detail:
          'The session was not created on the origin of the card fields. Create it in the page with `sessions.create` of the card fields.',
      },
    },
    {
      summary: 'Let a browser store cards',
      status: 200,
      key: 'private',
      request: {
        body: {
          nonce,
          rules: [{ priority: 1, container: '/pci/high/', transform: 'mask', permissions: ['token:create'] }],
        },
      },
    },
    {
      summary: 'A nonce that nobody has',
      status: 404,
      key: 'private',
      request: { body: { nonce: 'unknown', permissions: ['token:create'] } },
      problem: { code: 'not-found', detail: 'There is no session with this nonce.' },
    },
    {
      summary: 'A nonce that has been used',
      status: 409,
      key: 'private',
      request: { body: { nonce, permissions: ['token:create'] } },
      problem: { code: 'nonce-used', detail: 'The nonce has been used already.' },
    },
  ],
} satisfies Readonly<Record<string, readonly ApiExample[]>>;
