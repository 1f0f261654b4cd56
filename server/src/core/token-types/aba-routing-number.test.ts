import { describe, expect, it } from 'vitest';
import { ExactNumber } from '../json/json-value.ts';
import { findRoutingNumberProblem, passesAbaChecksum } from './aba-routing-number.ts';

describe('passesAbaChecksum', () => {
  it.each(['021000021', '011401533', '121000358', '110000000'])('accepts %s', (digits) => {
    expect(passesAbaChecksum(digits)).toBe(true);
  });

  it.each(['021000022', '120100021', '112000358', '110000001'])('refuses %s', (digits) => {
    expect(passesAbaChecksum(digits)).toBe(false);
  });
});

describe('findRoutingNumberProblem', () => {
  it.each([
    undefined,
    null,
    21000021,
    new ExactNumber('021000021'),
    '',
    '02100002',
    '0210000211',
    '02100002 ',
    '０21000021',
  ])('asks for nine digits instead of %j', (value) => {
    expect(findRoutingNumberProblem(value)).toBe('The routing number must be a string of nine digits.');
  });

  it('tells a failed checksum from a wrong shape', () => {
    expect(findRoutingNumberProblem('021000022')).toBe('The routing number has an invalid checksum.');
  });

  it('finds nothing wrong with a routing number', () => {
    expect(findRoutingNumberProblem('021000021')).toBeUndefined();
  });
});
