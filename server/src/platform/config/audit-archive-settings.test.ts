import { describe, expect, it } from 'vitest';
import { auditArchive, evidenceMonths } from './audit-archive-settings.ts';
import { ConfigError } from './config-error.ts';

const read = (place: string | undefined, more: Record<string, string> = {}) =>
  auditArchive.read({ ...more, ...(place === undefined ? {} : { STRONGROOM_AUDIT_ARCHIVE: place }) });

describe('the archive of the audit log', () => {
  it('is absent, a folder, or a part of a bucket', () => {
    expect(read(undefined)).toBeUndefined();
    expect(read('/var/lib/strongroom/archive')).toEqual({ folder: '/var/lib/strongroom/archive' });
    const s3 = { bucket: 'audit', prefix: '', region: 'us-east-1', endpoint: undefined };
    expect(read('s3://audit')).toEqual({ s3 });
    expect(read('s3://audit/eu/one/')).toEqual({ s3: { ...s3, prefix: 'eu/one' } });
    const endpoint = 'https://s3.example.com';
    expect(read('s3://audit', { STRONGROOM_AUDIT_ARCHIVE_ENDPOINT: endpoint })).toEqual({ s3: { ...s3, endpoint } });
  });

  it.each([
    ['a relative path', 'archive'],
    ['a bucket that cannot exist', 's3://Audit_1/'],
    ['a prefix that leads elsewhere', 's3://audit/a//b'],
    ['another protocol', 'https://s3.example.com/audit'],
  ])('is refused if it is %s', (_, place) => {
    expect(() => read(place)).toThrow(ConfigError);
  });

  it('is missed if only its endpoint is set', () => {
    expect(() => read(undefined, { STRONGROOM_AUDIT_ARCHIVE_ENDPOINT: 'https://s3.example.com' })).toThrow(ConfigError);
  });
});

describe('the bundles of evidence in the archive', () => {
  const readMonths = (more: Record<string, string>) => evidenceMonths.read(more);
  const place = { STRONGROOM_AUDIT_ARCHIVE: '/archive' };

  it('are none, or as many as are set', () => {
    expect(readMonths({})).toBeUndefined();
    expect(readMonths(place)).toBeUndefined();
    expect(readMonths({ ...place, STRONGROOM_EVIDENCE_MONTHS: '24' })).toBe(24);
  });

  it('need an archive, and a number that is not too large', () => {
    expect(() => readMonths({ STRONGROOM_EVIDENCE_MONTHS: '24' })).toThrow(ConfigError);
    for (const months of ['0', '121', 'all'])
      expect(() => readMonths({ ...place, STRONGROOM_EVIDENCE_MONTHS: months })).toThrow(ConfigError);
  });
});
