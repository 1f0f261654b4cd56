import { expect, it } from 'vitest';
import { writeLetter } from './letter.ts';

const letter = writeLetter({
  subject: 'Invitation to Acme\r\nBcc: all@example.com',
  lead: 'You have been invited.',
  facts: [
    ['Tenant', 'Acme\nRole: OWNER <script>alert(1)</script>'],
    ['Role', 'READ_ONLY'],
  ],
  action: { label: 'View and accept the invitation', url: 'https://vault.example/portal/invitations/"x' },
  advice: 'You can ignore it.',
});

it('keeps every text of a user on its own line', () => {
  expect(letter.subject).toBe('Invitation to Acme  Bcc: all@example.com');
  expect(letter.text.split('\n').filter((line) => line.startsWith('Role:'))).toEqual(['Role: READ_ONLY']);
});

it('escapes text, also in the link', () => {
  expect(letter.html).not.toContain('<script>');
  expect(letter.html).toContain('&lt;script&gt;');
  expect(letter.html).toContain('href="https://vault.example/portal/invitations/&quot;x"');
});

it('takes its colours from the style sheet of all pages, and loads nothing', () => {
  expect(letter.html).toContain('background:#0b6b66');
  expect(letter.html).not.toMatch(/inherit|<img|<link|<style|url\(/);
});
