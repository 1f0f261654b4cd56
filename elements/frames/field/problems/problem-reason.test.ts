import { describe, expect, it } from 'vitest';
import type { PartName } from '../part.ts';
import { kindOf } from '../part.ts';
import { findCardType } from '../kinds/card-number.ts';
import { reasonOf } from './problem-reason.ts';

const now = new Date('2026-11-16T12:00:00');

describe('the reason for an error', () => {
  it.each<[PartName, string, string]>([
    ['number', '', 'empty'],
    ['number', '4242', 'incomplete'],
    ['number', '4242424242424245', 'checksum'],
    ['number', '378282246310006', 'checksum'],
    ['number', '99999999', 'brand'],
    ['date', '', 'empty'],
    ['date', '12', 'incomplete'],
    ['date', '1026', 'expired'],
    ['date', '13', 'invalid'],
    ['date', '1330', 'invalid'],
    ['code', '', 'empty'],
    ['code', '12', 'incomplete'],
    ['code', '1234', 'brand'],
  ])('in the %s "%s" is %s', (name, kept, reason) => {
    const cardBrand = name === 'code' ? 'visa' : undefined;
    const { error } = kindOf[name]({ type: 'card', targetId: 'card', cardBrand }).judge(kept, now);
    expect(error).toBeDefined();
    const brand = findCardType(kept, {})?.type;
    expect(error && reasonOf(name, { kept, error, brand })).toBe(reason);
  });
});
