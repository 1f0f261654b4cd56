import { describe, expect, it } from 'vitest';
import { ConfigError } from './config-error.ts';
import { elements } from './elements-settings.ts';
import type { Environment } from './setting.ts';

const vault = { STRONGROOM_PUBLIC_URL: 'https://vault.example.com' };
const url = 'https://elements.example.com';
const read = (environment: Environment) => elements.read(environment);

function problemsOf(environment: Environment): string[] {
  try {
    read(environment);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems.map(({ variable, problem }) => `${variable} ${problem}`);
    throw error;
  }
  return [];
}

describe('the origin of card fields', () => {
  it('is nowhere, unless it is set', () => {
    expect(read(vault)).toBeUndefined();
  });

  it.each([
    [url, url],
    ['https://Elements.example.com:443/', url],
    ['http://localhost:8083', 'http://localhost:8083'],
    ['http://[::1]:8083', 'http://[::1]:8083'],
    ['https://vault.example.com:8443', 'https://vault.example.com:8443'],
  ])('can be %s', (text, origin) => {
    expect(read({ ...vault, STRONGROOM_ELEMENTS_URL: text })).toEqual({ url: origin, port: undefined });
    expect(read({ STRONGROOM_ELEMENTS_URL: text })).toEqual({ url: origin, port: undefined });
  });

  it.each([
    'elements.example.com',
    'http://elements.example.com',
    'https://elements.example.com/fields',
    'https://elements.example.com/?x',
    'https://elements.example.com/#x',
    'https://user@elements.example.com',
    'data:text/plain,x',
  ])('cannot be %s', (text) => {
    expect(problemsOf({ STRONGROOM_ELEMENTS_URL: text })).toEqual(['STRONGROOM_ELEMENTS_URL is not valid']);
  });

  it.each(['https://vault.example.com', 'https://VAULT.example.com:443/'])(
    'is not the one of the vault: %s',
    (same) => {
      expect(problemsOf({ ...vault, STRONGROOM_ELEMENTS_URL: same })).toEqual([
        'STRONGROOM_ELEMENTS_URL has the same origin as STRONGROOM_PUBLIC_URL',
      ]);
    },
  );

  it('may have a port, but no port without an address', () => {
    const port = { STRONGROOM_ELEMENTS_PORT: '8083' };
    expect(read({ ...port, STRONGROOM_ELEMENTS_URL: url })).toEqual({ url, port: 8083 });
    expect(problemsOf(port)).toEqual(['STRONGROOM_ELEMENTS_URL is not set']);
    expect(problemsOf({ STRONGROOM_ELEMENTS_URL: url, STRONGROOM_ELEMENTS_PORT: 'http' })).toEqual([
      'STRONGROOM_ELEMENTS_PORT is not valid',
    ]);
  });
});
