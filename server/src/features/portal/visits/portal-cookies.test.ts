import { describe, expect, it } from 'vitest';
import { createPortalCookies } from './portal-cookies.ts';

const cookiesOf = (publicUrl: string, isDevelopment: boolean) => createPortalCookies(publicUrl, { isDevelopment });

describe('the cookies of the portal', () => {
  it.each([
    ['https://vault.example.com', false],
    ['https://vault.example.com', true],
    ['https://localhost:8443', true],
    ['http://localhost:8080', false],
    ['http://127.0.0.1:8080', false],
    ['http://localhost.example.com', true],
    ['http://10.0.0.5:8080', true],
  ])('are secure at %s (development: %s)', (publicUrl, isDevelopment) => {
    const { session, journey } = cookiesOf(publicUrl, isDevelopment);
    expect(session.write('a')).toBe(
      '__Host-strongroom_session=a; Path=/; Max-Age=43200; HttpOnly; Secure; SameSite=Strict',
    );
    expect(journey.write('b')).toBe('__Host-strongroom_journey=b; Path=/; Max-Age=600; HttpOnly; Secure; SameSite=Lax');
    expect(session.read('strongroom_session=a')).toBeUndefined();
  });

  it.each(['http://localhost:8080', 'http://127.0.0.1:8080', 'http://[::1]:8080'])(
    'are kept by every browser in development at %s',
    (publicUrl) => {
      const { session } = cookiesOf(publicUrl, true);
      expect(session.write('a')).toBe('strongroom_session=a; Path=/; Max-Age=43200; HttpOnly; SameSite=Strict');
      expect(session.remove()).toBe('strongroom_session=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict');
      expect(session.read('a=b; strongroom_session=c')).toBe('c');
      expect(session.read('strongroom_session=c; strongroom_session=d')).toBeUndefined();
    },
  );
});
