import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DomainError } from '../errors/domain-error.ts';
import { formatExpiresAt, parseExpiresAt } from './expires-at.ts';

const now = new Date('2026-01-31T12:00:00.000Z');
const notATimestamp = 'The expiration must be an ISO 8601 date or date-time, or a month/day/year date.';
const notInTheFuture = 'The expiration must be in the future.';

describe('parseExpiresAt', () => {
  it.each([
    ['2030-08-26T19:23:57-07:00', '2030-08-27T02:23:57.000Z', -420],
    ['2030-08-26T19:23:57+05:30', '2030-08-26T13:53:57.000Z', 330],
    ['2030-08-26T19:23:57+14:00', '2030-08-26T05:23:57.000Z', 840],
    ['2030-08-26T19:23:57-14:00', '2030-08-27T09:23:57.000Z', -840],
    ['2030-08-26T19:23:57+0530', '2030-08-26T13:53:57.000Z', 330],
    ['2030-08-26T19:23:57-07', '2030-08-27T02:23:57.000Z', -420],
    ['2030-08-26T19:23:57Z', '2030-08-26T19:23:57.000Z', 0],
    ['2030-08-26t19:23:57z', '2030-08-26T19:23:57.000Z', 0],
    ['2030-08-26T19:23:57-00:00', '2030-08-26T19:23:57.000Z', 0],
    ['2030-08-26T19:23:57', '2030-08-26T19:23:57.000Z', 0],
    ['2030-08-26T19:23', '2030-08-26T19:23:00.000Z', 0],
    ['2030-08-26T19:23+02:00', '2030-08-26T17:23:00.000Z', 120],
    ['2030-08-26T19:23:57.5', '2030-08-26T19:23:57.500Z', 0],
    ['2030-08-26T19:23:57.042-07:00', '2030-08-27T02:23:57.042Z', -420],
    ['2030-08-26T19:23:57.1239999Z', '2030-08-26T19:23:57.123Z', 0],
    ['2030-08-26 19:23:57+00:00', '2030-08-26T19:23:57.000Z', 0],
    ['2030-08-26 19:23:57 +00:00', '2030-08-26T19:23:57.000Z', 0],
    ['2030-08-26', '2030-08-26T00:00:00.000Z', 0],
    ['2028-02-29', '2028-02-29T00:00:00.000Z', 0],
    ['2400-02-29', '2400-02-29T00:00:00.000Z', 0],
    ['8/26/2030', '2030-08-26T00:00:00.000Z', 0],
    ['08/06/2030', '2030-08-06T00:00:00.000Z', 0],
    ['8/26/2030 7:23:57 PM -07:00', '2030-08-27T02:23:57.000Z', -420],
    ['8/26/2030 7:23:57 AM -07:00', '2030-08-26T14:23:57.000Z', -420],
    ['8/26/2030 7:23:57\u202fPM -07:00', '2030-08-27T02:23:57.000Z', -420],
    ['8/26/2030 7:23:57PM', '2030-08-26T19:23:57.000Z', 0],
    ['8/26/2030 7:23 pm', '2030-08-26T19:23:00.000Z', 0],
    ['8/26/2030 12:00:00 AM +00:00', '2030-08-26T00:00:00.000Z', 0],
    ['8/26/2030 12:00:00 PM +00:00', '2030-08-26T12:00:00.000Z', 0],
    ['08/26/2030 19:23:57 -07:00', '2030-08-27T02:23:57.000Z', -420],
    ['8/26/2030 19:23:57', '2030-08-26T19:23:57.000Z', 0],
    ['12/26/2030 12:23:57.123456789 PM -07:00', '2030-12-26T19:23:57.123Z', -420],
    ['9999-12-31T23:59:59-14:00', '+010000-01-01T13:59:59.000Z', -840],
  ])('reads %s', (text, instant, offsetMinutes) => {
    expect(parseExpiresAt(text, now)).toEqual({ instant: new Date(instant), offsetMinutes });
  });

  it.each([
    ['nothing', ['', ' ', 'never', 'null', '2030', '1914000000', '2030-08', '20300826', '2030-W35-1', '2030-238']],
    ['days that no calendar has', ['2030-02-29', '2030-02-30', '2100-02-29', '2030-04-31', '2030-13-01', '2030-00-10']],
    [
      'days that no month has',
      ['2030-08-00', '2030-08-32', '2/30/2030', '13/1/2030', '26/8/2030', '0/1/2030', '8/0/2030'],
    ],
    ['times that no clock shows', ['2030-08-26T24:00', '2030-08-26T24:61', '2030-08-26T19:60', '2030-08-26T23:59:60Z']],
    ['twelve-hour times past twelve', ['8/26/2030 13:00 PM', '8/26/2030 0:30 AM', '8/26/2030 24:00']],
    [
      'offsets beyond the date line',
      ['2030-08-26T19:23:57+14:01', '2030-08-26T19:23:57-15:00', '2030-08-26T19:23:57+00:60'],
    ],
    [
      'halves of an offset',
      ['2030-08-26T19:23:57+', '2030-08-26T19:23:57+7', '2030-08-26T19:23:57+07:', '2030-08-26T19:23:57+070'],
    ],
    [
      'other zones',
      ['2030-08-26T19:23:57 PST', '2030-08-26T19:23:57[Europe/Paris]', '2030-08-26T19:23:57ZZ', '2030-08-26Z'],
    ],
    ['sloppy fields', ['2030-8-26', '30-08-26', '12030-08-26', '+2030-08-26', '2030/08/26', '8-26-2030', '8/26/30']],
    [
      'sloppy times',
      ['2030-08-26T', '2030-08-26T7:23', '2030-08-26T19', '2030-08-26T19:2', '2030-08-26T19:23:5', '2030-08-26T1923'],
    ],
    [
      'fractions of nothing',
      ['2030-08-26T19:23:57.', '2030-08-26T19:23.5', '2030-08-26T19:23:57.1234567890', '2030-08-26T19:23:57,5'],
    ],
    [
      'surroundings',
      [
        ' 2030-08-26',
        '2030-08-26 ',
        '2030-08-26T19:23:57 ',
        '8/26/2030 7:23:57 ',
        '8/26/2030 7:23 PM ',
        '2030-08-26\n',
      ],
    ],
    [
      'designators in the wrong place',
      ['2030-08-26T07:23 PM', '8/26/2030 PM', '8/26/2030 7 PM', '8/26/2030 7:23 P', '8/26/2030 7:23 XM'],
    ],
    ['foreign digits', ['２030-08-26', '2030-08-2６']],
    ['the year zero', ['0000-01-01']],
    ['endless text', ['2030-08-26T19:23:57.'.padEnd(51, '0'), '9'.repeat(1_000_000)]],
  ])('refuses %s', (_, texts) => {
    for (const text of texts) expect(messagesOf(text), text).toEqual([notATimestamp]);
  });

  it.each([
    '2026-01-31T12:00:00Z',
    '2026-01-31T11:59:59.999Z',
    '2026-01-31',
    '1/31/2026',
    '2020-01-01',
    '0001-01-01',
    '2026-01-31T21:00:00+14:00',
  ])('refuses %s, which is not after now', (text) => {
    expect(messagesOf(text)).toEqual([notInTheFuture]);
  });

  it('accepts the first millisecond after now', () => {
    expect(parseExpiresAt('2026-01-31T12:00:00.001Z', now).instant).toEqual(new Date('2026-01-31T12:00:00.001Z'));
  });

  it('fails in one way only, whatever the text', () => {
    const timestampLike = fc.string({ unit: fc.constantFrom(...'0123456789-/:T Z+.APM'.split('')) });
    fc.assert(
      fc.property(fc.oneof(fc.string(), timestampLike), (text) => {
        try {
          expect(parseExpiresAt(text, now).instant > now).toBe(true);
        } catch (error) {
          expect(error).toBeInstanceOf(DomainError);
          expect(error).toMatchObject({ code: 'validation-failed' });
        }
      }),
    );
  });
});

describe('formatExpiresAt', () => {
  it.each([
    ['2030-08-27T02:23:57.000Z', -420, '2030-08-26T19:23:57-07:00'],
    ['2030-08-26T19:23:57.000Z', 0, '2030-08-26T19:23:57+00:00'],
    ['2030-08-26T13:53:57.000Z', 330, '2030-08-26T19:23:57+05:30'],
    ['2030-08-26T13:53:57.000Z', -30, '2030-08-26T13:23:57-00:30'],
    ['2030-08-26T19:23:57.120Z', 0, '2030-08-26T19:23:57.120+00:00'],
    ['2030-12-31T23:59:59.001Z', 840, '2031-01-01T13:59:59.001+14:00'],
  ])('writes %s at offset %i as %s', (instant, offsetMinutes, text) => {
    expect(formatExpiresAt({ instant: new Date(instant), offsetMinutes })).toBe(text);
  });

  it('writes what parseExpiresAt reads back', () => {
    const instant = fc.date({
      min: new Date(now.getTime() + 1),
      max: new Date('9999-12-31T09:59:59.999Z'),
      noInvalidDate: true,
    });
    fc.assert(
      fc.property(instant, fc.integer({ min: -840, max: 840 }), (instant, offsetMinutes) => {
        const expiresAt = { instant, offsetMinutes };
        expect(parseExpiresAt(formatExpiresAt(expiresAt), now)).toEqual(expiresAt);
      }),
    );
  });
});

function messagesOf(text: string): readonly string[] | undefined {
  try {
    parseExpiresAt(text, now);
  } catch (error) {
    if (error instanceof DomainError && error.code === 'validation-failed') return error.fields?.['expires_at'];
    throw error;
  }
  return undefined;
}
