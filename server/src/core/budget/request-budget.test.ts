import { describe, expect, it } from 'vitest';
import { RequestBudget, requestLimits } from './request-budget.ts';

describe('RequestBudget', () => {
  it('lets a request spend all of a limit, in parts', () => {
    const budget = new RequestBudget();
    budget.spend('references', requestLimits.references - 1);
    budget.spend('references', 1);
    expect(budget.leftOf('references')).toBe(0);
  });

  it('refuses what goes beyond, says the limit, and spends nothing', () => {
    const budget = new RequestBudget();
    budget.spend('searchTerms', 59_999);
    expect(() => budget.spend('searchTerms', 2)).toThrow(
      'The tokens in a request can have at most 60000 metadata pairs and search indexes in total.',
    );
    expect(budget.leftOf('searchTerms')).toBe(1);
  });

  it('keeps its resources apart', () => {
    const budget = new RequestBudget();
    budget.spend('references', requestLimits.references);
    expect(budget.leftOf('searchTerms')).toBe(requestLimits.searchTerms);
  });
});
