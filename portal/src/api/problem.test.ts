import { expect, it } from 'vitest';
import { Problem } from './problem';

it('says what the vault says', () => {
  const body = { type: '/docs/errors/sign-in-too-old', title: 'Forbidden', detail: 'Sign in again.', trace_id: 't' };
  expect(new Problem(403, body)).toMatchObject({ message: 'Sign in again.', kind: 'sign-in-too-old', traceId: 't' });
});

it.each([undefined, null, 'an error page', { errors: 'none' }, { detail: 7 }])('copes with %j', (body) => {
  expect(new Problem(502, body)).toMatchObject({ message: 'The vault responded with status 502.', fields: {} });
});
