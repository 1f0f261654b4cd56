import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Chromium } from '../harness/chromium.ts';
import { comparePictures } from '../harness/compare-pictures.ts';
import { Program } from '../harness/program.ts';

/** The pictures of all parts. `KIT_PICTURES=write` takes them again, after a change of how a part looks. */
const folder = path.resolve(import.meta.dirname, '../../../docs/images/kit');
const isWriting = process.env['KIT_PICTURES'] === 'write';
/** The share of pixels that may differ: letters are drawn a little differently by other versions of a browser. */
const shareMax = 0.01;

const looks = [
  { name: 'light', colorScheme: 'light', width: 1_280 },
  { name: 'dark', colorScheme: 'dark', width: 1_280 },
  { name: 'narrow', colorScheme: 'light', width: 375 },
] as const;

let ready: { readonly url: string; readonly sign_in_url: string };
let chromium: Chromium;
let page: Page;
let complaints: readonly string[];

beforeAll(async () => {
  [ready, chromium] = await Promise.all([
    Program.start(['dev', '--port', '0', '--json']).ready<typeof ready>(),
    Chromium.start(),
  ]);
  const options = { locale: 'en-GB', timezoneId: 'UTC', reducedMotion: 'reduce' } as const;
  ({ page, complaints } = await chromium.open(options));
  await page.goto(ready.sign_in_url);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL('**/portal/');
  if (isWriting) await mkdir(folder, { recursive: true });
});
afterAll(async () => {
  await chromium.stop();
  await Program.killAll();
});

async function takePicture({ colorScheme, width }: (typeof looks)[number]): Promise<Buffer> {
  await page.emulateMedia({ colorScheme });
  await page.setViewportSize({ width, height: 900 });
  await page.goto(`${ready.url}/portal/kit`);
  await page.getByRole('heading', { name: 'Above the page' }).waitFor();
  await page.evaluate('document.fonts.ready');
  return page.locator('main').screenshot();
}

describe('all parts of the portal', () => {
  it.each(looks)('look as in the picture: $name', async (look) => {
    const file = path.join(folder, `${look.name}.png`);
    const taken = await takePicture(look);
    if (isWriting) await writeFile(file, taken);
    const { share, difference } = await comparePictures(page.context(), await readFile(file), taken);
    const shots = process.env['SCREENSHOT_DIRECTORY'];
    if (share > shareMax && shots !== undefined) {
      await writeFile(path.join(shots, `kit-${look.name}.png`), taken);
      await writeFile(path.join(shots, `kit-${look.name}-difference.png`), difference);
    }
    expect(share).toBeLessThanOrEqual(shareMax);
    expect(complaints).toEqual([]);
  });

  it('are told apart from a page on which one part is gone', async () => {
    const [light] = looks;
    const kept = await readFile(path.join(folder, `${light.name}.png`));
    await takePicture(light);
    await page.evaluate(`for (const part of document.querySelectorAll('.chart')) part.style.visibility = 'hidden';`);
    const { share } = await comparePictures(page.context(), kept, await page.locator('main').screenshot());
    expect(share).toBeGreaterThan(shareMax);
  });
});
