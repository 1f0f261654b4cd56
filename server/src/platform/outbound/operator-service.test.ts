import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { KeyServiceEndpoint } from '../../../test/harness/key-services/key-service-endpoint.ts';
import { TestAuthority } from '../../../test/harness/test-authority.ts';
import { headersOf } from '../../../test/harness/tls-destination.ts';
import { OperatorService } from './operator-service.ts';

let authority: TestAuthority;
let endpoint: KeyServiceEndpoint;
let service: OperatorService;

beforeAll(async () => {
  authority = await TestAuthority.create();
  endpoint = await KeyServiceEndpoint.start(await authority.issue(['localhost']), ({ head }) => ({
    status: 200,
    body: { line: head.split('\r\n')[0] },
  }));
});
afterAll(async () => {
  await endpoint.stop();
  await authority.remove();
});
beforeEach(() => {
  endpoint.mood = undefined;
  endpoint.dropConnections();
  // A hundred handshakes can take seconds on a busy machine.
  service = new OperatorService(endpoint.url, { authority: authority.certificate, timeoutMs: 60_000 });
  return () => service.close();
});

describe('OperatorService', () => {
  it('gives back status and body, whatever they are', async () => {
    endpoint.mood = () => ({ status: 418, body: 'short and stout' });
    expect(await service.ask('/v1', { body: '{}' })).toMatchObject({ status: 418, body: 'short and stout' });
  });

  it('sends what it was given with a length', async () => {
    await service.ask('/v1', { headers: { 'x-own': 'yes' }, body: '{"é":1}' });
    expect(endpoint.destination.last.body.toString('utf8')).toBe('{"é":1}');
    expect(headersOf(endpoint.destination.last)).toMatchObject({ 'x-own': ['yes'], 'content-length': ['8'] });
  });

  it('keeps its connections and has no more than eight', async () => {
    const before = endpoint.destination.connectionCount;
    await Promise.all(Array.from({ length: 100 }, () => service.ask('/', { body: '{}' })));
    await service.ask('/', { body: '{}' });
    expect(endpoint.destination.connectionCount - before).toBe(8);
  });

  it('asks again where the service has closed a kept connection', async () => {
    await service.ask('/', { body: '{}' });
    const seenBefore = endpoint.destination.seen.length;
    endpoint.mood = (() => {
      endpoint.mood = undefined;
      endpoint.dropConnections();
      return { status: 200, body: '' };
    }) as typeof endpoint.mood;
    expect(await service.ask('/', { body: '{}' })).toMatchObject({ status: 200, body: '{"line":"POST / HTTP/1.1"}' });
    expect(endpoint.destination.seen.length - seenBefore).toBe(2);
  });

  it('asks a service that always hangs up twice at most', async () => {
    await service.ask('/', { body: '{}' });
    const seenBefore = endpoint.destination.seen.length;
    endpoint.mood = 'hangs-up';
    await expect(service.ask('/', { body: '{}' })).rejects.toThrow('socket hang up');
    expect(endpoint.destination.seen.length - seenBefore).toBe(2);
  });

  it('gives up on an answer without end', async () => {
    endpoint.mood = 'never-ends';
    await expect(service.ask('/', { body: '{}' })).rejects.toThrow('too large');
  });

  it('gives up on a service that changes the protocol', async () => {
    endpoint.mood = 'upgrades';
    await expect(service.ask('/', { body: '{}' })).rejects.toThrow('changed the protocol');
  });

  it('gives up on a service that does not answer', async () => {
    endpoint.mood = 'is-silent';
    const hasty = new OperatorService(endpoint.url, { authority: authority.certificate, timeoutMs: 100 });
    await expect(hasty.ask('/', { body: '{}' })).rejects.toThrow('abort');
    hasty.close();
  });

  it.each([
    ['nobody vouches for', undefined],
    ['another authority vouches for', 'another'],
  ])('speaks to no service that %s', async (_, which) => {
    const another = which === undefined ? undefined : await TestAuthority.create();
    const wary = new OperatorService(endpoint.url, { authority: another?.certificate });
    await expect(wary.ask('/wary', { body: '{}' })).rejects.toThrow(/certificate/);
    // Requests of an earlier case may still arrive.
    expect(endpoint.destination.seen.filter(({ head }) => head.includes('/wary'))).toEqual([]);
    wary.close();
    await another?.remove();
  });

  it('speaks to no service with a certificate for another name', async () => {
    const misnamed = new OperatorService(endpoint.url.replace('localhost', '127.0.0.1'), {
      authority: authority.certificate,
    });
    await expect(misnamed.ask('/', { body: '{}' })).rejects.toThrow(/altnames/);
    misnamed.close();
  });
});
