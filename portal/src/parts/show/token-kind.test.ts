import { expect, it } from 'vitest';
import { tokenTypeNames } from '../../../../server/src/core/token-types/token-type-catalog.ts';
import { kindOf } from './token-kind';

it('names every type of token in words of its own', () => {
  const unnamed = tokenTypeNames.filter((type) => kindOf(type).name === type.replaceAll('_', ' '));
  expect(unnamed, 'Add a name and an icon to portal/src/parts/show/token-kind.tsx.').toEqual([]);
});

it('shows a type of a newer vault by its own name', () => {
  expect(kindOf('tax_number').name).toBe('tax number');
});
