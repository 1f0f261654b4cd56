import { describe, expect, it } from 'vitest';
import { ConfigError } from './config-error.ts';
import { logStreams } from './log-stream-settings.ts';

const read = (...streams: unknown[]) => logStreams.read({ STRONGROOM_LOG_STREAMS: JSON.stringify(streams) });
const https = { name: 'siem', kind: 'https', url: 'https://siem.example.com/strongroom' };
const syslog = { name: 'log', kind: 'syslog', host: 'log.example.com' };
const s3 = { name: 'objects', kind: 's3', bucket: 'audit' };
const file = { name: 'file', kind: 'file', path: '/var/log/strongroom.ndjson' };

describe('log streams', () => {
  it('are none by default', () => {
    expect(logStreams.read({})).toEqual([]);
  });

  it('have defaults for everything but name, kind and destination', () => {
    const common = { format: 'record', start: 'oldest', tenants: undefined };
    const [first, ...others] = read(https, syslog, file, s3);
    expect(first).toMatchObject({ ...common, ...https, encoding: 'ndjson', authorityFile: undefined });
    expect(others).toEqual([
      { ...common, ...syslog, port: 6_514, authorityFile: undefined, certificateFile: undefined, keyFile: undefined },
      { ...common, ...file, rotateBytes: 100_000_000, filesMax: 100 },
      {
        ...common,
        name: 'objects',
        kind: 's3',
        intervalSeconds: 60,
        s3: { bucket: 'audit', prefix: '', region: 'us-east-1', endpoint: undefined, accessKey: undefined },
      },
    ]);
  });

  it('keep their headers wrapped, with names in lower case', () => {
    const [stream] = read({ ...https, headers: { Authorization: 'Splunk secret' } });
    expect(JSON.stringify(stream)).not.toContain('secret');
    expect(stream?.kind === 'https' && stream.headers.reveal()).toEqual({ authorization: 'Splunk secret' });
  });

  it.each([
    ['unknown kinds', { ...https, kind: 'ftp' }, '"kind" must be'],
    ['unknown members', { ...https, retries: 3 }, 'it has a member other than'],
    ['missing members', { name: 'siem', kind: 'https' }, '"url" is missing'],
    ['names with other characters', { ...https, name: 'SIEM 1' }, '"name" is not valid'],
    ['plain http', { ...https, url: 'http://siem.example.com/' }, '"url" is not valid'],
    ['credentials in addresses', { ...https, url: 'https://me:hunter2@siem.example.com/' }, '"url" is not valid'],
    ['headers of the client', { ...https, headers: { Host: 'other' } }, '"headers" is not valid'],
    ['headers with line breaks', { ...https, headers: { a: 'b\r\nc: d' } }, '"headers" is not valid'],
    ['tenants that are no ids', { ...https, tenants: ['acme'] }, '"tenants" is not valid'],
    ['no tenants', { ...https, tenants: [] }, '"tenants" is not valid'],
    ['ports that there are not', { ...syslog, port: 70_000 }, '"port" is not valid'],
    ['half an access key', { ...s3, access_key_id: 'AKIDEXAMPLE12345' }, 'belong together'],
    ['names that are no buckets', { ...s3, bucket: 'Audit/other' }, '"bucket" is not valid'],
    ['prefixes that begin with a slash', { ...s3, prefix: '/live' }, '"prefix" is not valid'],
    ['storage without TLS', { ...s3, endpoint: 'http://storage.example.com' }, '"endpoint" is not valid'],
    ['half a certificate', { ...syslog, certificate_file: '/a.pem' }, 'belong together'],
    ['relative paths', { ...file, path: 'audit.ndjson' }, '"path" is not valid'],
    ['tiny files', { ...file, rotate_bytes: 10 }, '"rotate_bytes" is not valid'],
    ['what is no object', 'siem', 'it is not an object'],
  ])('refuse %s, and say where without repeating a value', (_, stream, message) => {
    const attempt = () => read(file, stream);
    expect(attempt).toThrow(ConfigError);
    expect(attempt).toThrow('has a problem in stream 2: ');
    expect(attempt).toThrow(message);
    expect(attempt).not.toThrow(/hunter2/);
  });

  it('refuse a name twice, too many streams, and what is no array', () => {
    expect(() => read(https, https)).toThrow('its name is taken');
    expect(() => read(...Array.from({ length: 17 }, (_, index) => ({ ...file, name: `a${index}` })))).toThrow(
      'up to 16',
    );
    expect(() => logStreams.read({ STRONGROOM_LOG_STREAMS: '{}' })).toThrow('is not a JSON array');
    expect(() => logStreams.read({ STRONGROOM_LOG_STREAMS: 'siem' })).toThrow('is not a JSON array');
  });
});
