import { describe, expect, it } from 'vitest';
import { lostSealing } from '../../platform/audit/seal/seal-store.ts';
import { OperatorError, reasonOf } from './operator-error.ts';

describe('reasonOf', () => {
  const secret = '4242424242424242';

  it.each<[string, unknown, string]>([
    ['a message for operators', new OperatorError('Set the variable.'), 'Set the variable.'],
    ['a message about sealing', lostSealing(), lostSealing().message],
    ['the name of any other error', new TypeError(secret), 'TypeError'],
    ['the name of an error with an operator error as its cause', new Error(secret, { cause: lostSealing() }), 'Error'],
    ['nothing of what is no error', secret, 'unknown'],
  ])('gives %s', (_name, thrown, reason) => {
    expect(reasonOf(thrown)).toBe(reason);
  });
});
