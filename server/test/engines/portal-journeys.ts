import type { EnginePage } from '../harness/engines/engine.ts';
import { type Journey, until, type Visit } from './journey.ts';

async function openPortal({ page, ready }: Visit, path: string, heading: string): Promise<void> {
  await page.goto(`${ready.url}${path}`);
  await untilHeading(page, heading);
}

const untilHeading = (page: EnginePage, heading: string) =>
  until(page, `document.querySelector('h1')?.textContent === '${heading}'`);

/** The keys for a quarter past noon on 30 November 2026. Chromium waits for longer years, so it needs Tab. */
const noonAndAQuarter = { chromium: '11302026\t1215PM', firefox: '113020261215PM', webkit: '11302026\t1215' } as const;

/** Returns how many pixels a page is wider than the window. */
const excessOf = (page: EnginePage) =>
  page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');

/** What people do in the portal of `strongroom dev`. The first journey signs in for all that follow. */
export const portalJourneys: readonly Journey[] = [
  {
    name: 'signs in with a link',
    run: async ({ page, ready }) => {
      await page.goto(ready.sign_in_url);
      await page.click({ at: 'main button' });
      await untilHeading(page, 'Overview');
      return page.evaluate('location.pathname');
    },
    found: '/portal/',
  },
  {
    name: 'creates an application in a narrow window',
    run: async (visit) => {
      const { page } = visit;
      await page.resize(375, 800);
      await openPortal(visit, '/portal/applications/create', 'New application');
      await until(page, `document.querySelector('.choices') !== null`);
      const excess = await excessOf(page);
      await page.resize(1200, 900);
      return excess;
    },
    found: 0,
  },
  {
    name: 'types times into the filter of the audit log',
    run: async (visit) => {
      const { page } = visit;
      await openPortal(visit, '/portal/audit', 'Audit log');
      await page.evaluate(
        `[...document.querySelectorAll('button')].find(({ textContent }) => textContent.includes('Time range')).click()`,
      );
      const from = { at: 'dialog input' };
      await page.type(from, noonAndAQuarter[visit.engine]);
      return page.evaluate(`document.querySelector('dialog input').value`);
    },
    found: '2026-11-30T12:15',
    differences: {
      webkit: { found: '', reason: 'The driver of WebKit presses no keys in the parts of a date.' },
    },
  },
  {
    name: 'is told that a range ends before it begins',
    run: async (visit) => {
      const { page } = visit;
      await openPortal(visit, '/portal/audit?from=2026-11-30T12:00:00.000Z&to=2026-11-29T12:00:00.000Z', 'Audit log');
      await page.evaluate(
        `[...document.querySelectorAll('button')].find(({ textContent }) => textContent.includes('Time range')).click()`,
      );
      await until(page, `document.querySelector('dialog') !== null`);
      return page.evaluate(`[
        document.querySelector('dialog [role=alert]')?.textContent,
        document.querySelector('dialog button[type=submit]').disabled,
      ]`);
    },
    found: ['This is before the time in From.', true],
  },
  {
    name: 'sees the account page in the colours of the portal',
    run: async (visit) => {
      const { page } = visit;
      await page.evaluate(`localStorage.setItem('strongroom.theme', 'dark')`);
      await openPortal(visit, '/portal/account', 'Set up a way to sign in');
      const colours = `getComputedStyle(document.documentElement).colorScheme`;
      const dark = await page.evaluate(colours);
      await page.evaluate(`localStorage.setItem('strongroom.theme', 'system')`);
      await openPortal(visit, '/portal/account', 'Set up a way to sign in');
      return [dark, await page.evaluate(colours)];
    },
    found: ['dark', 'light dark'],
  },
  {
    name: 'is offered passkeys if the browser supports them',
    run: async (visit) => {
      const { page } = visit;
      await openPortal(visit, '/portal/account', 'Set up a way to sign in');
      return page.evaluate(`[
        document.querySelector('form[data-passkey] button').disabled,
        document.querySelector('form[data-passkey] .note')?.textContent ?? '',
      ]`);
    },
    found: [false, ''],
    differences: {
      webkit: { found: [true, 'This browser does not support passkeys.'], reason: 'WebKitGTK has no WebAuthn.' },
    },
  },
];
