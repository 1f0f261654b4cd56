import { expect } from 'vitest';
import { Sensitive } from '../src/core/identity/sensitive.ts';

// The values that these objects hold are private. Without this, any two of them would be equal, and tests that compare
// them would prove nothing.
expect.addEqualityTesters([
  function areSensitiveEqual(a: unknown, b: unknown): boolean | undefined {
    if (!(a instanceof Sensitive) && !(b instanceof Sensitive)) return undefined;
    return a instanceof Sensitive && b instanceof Sensitive && this.equals(a.reveal(), b.reveal());
  },
]);
