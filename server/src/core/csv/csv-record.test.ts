import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CsvError, parseCsvRecord } from './csv-record.ts';

describe('a record', () => {
  it('has a field between any two delimiters, empty ones too', () => {
    expect(parseCsvRecord('a,,c,', ',')).toEqual(['a', '', 'c', '']);
    expect(parseCsvRecord('', ',')).toEqual(['']);
    expect(parseCsvRecord('a;b,c', ';')).toEqual(['a', 'b,c']);
  });

  it('keeps delimiters, line ends and doubled quotes inside quotes', () => {
    expect(parseCsvRecord('"a,b","say ""no""\r\nplease",""', ',')).toEqual(['a,b', 'say "no"\r\nplease', '']);
  });

  it('gives back whatever was written as the standard says', () => {
    const quote = (field: string) => (/[",\r\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field);
    fc.assert(
      fc.property(fc.array(fc.string(), { minLength: 1 }), (fields) => {
        expect(parseCsvRecord(fields.map(quote).join(','), ',')).toEqual(fields);
      }),
    );
  });

  it.each(['a"b,c', '"a"b,c', '"a', '"a""'])('does not guess what %s means', (text) => {
    expect(() => parseCsvRecord(text, ',')).toThrow(CsvError);
  });
});
