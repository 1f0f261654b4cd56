import type { BrowserContext } from 'playwright-core';

export interface Comparison {
  /** The share of pixels that differ, from 0 to 1. Pictures of different sizes differ in every pixel. */
  readonly share: number;
  /** A picture of what differs, in black. */
  readonly difference: Buffer;
}

/** How much the brightness of a pixel may differ, of 765. Edges of letters differ by a few steps. */
const tolerance = 90;

/** Compares two pictures pixel by pixel, in the browser, so that no package is needed to decode them. */
export async function comparePictures(context: BrowserContext, kept: Buffer, taken: Buffer): Promise<Comparison> {
  const page = await context.newPage();
  try {
    const pictures = [kept, taken].map((picture) => `data:image/png;base64,${picture.toString('base64')}`);
    const [share, url] = await page.evaluate<[number, string]>(`(async (urls) => {
      const load = async (url) => {
        const bitmap = await createImageBitmap(await (await fetch(url)).blob());
        const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
        const context = canvas.getContext('2d');
        context.drawImage(bitmap, 0, 0);
        return context.getImageData(0, 0, bitmap.width, bitmap.height);
      };
      const [kept, taken] = await Promise.all(urls.map(load));
      if (kept.width !== taken.width || Math.abs(kept.height - taken.height) > 4) return [1, urls[1]];
      const height = Math.min(kept.height, taken.height);
      const canvas = document.createElement('canvas');
      [canvas.width, canvas.height] = [kept.width, height];
      const shown = new ImageData(kept.width, height);
      let differing = 0;
      for (let at = 0; at < 4 * kept.width * height; at += 4) {
        const distance = [0, 1, 2].reduce((sum, one) => sum + Math.abs(kept.data[at + one] - taken.data[at + one]), 0);
        const differs = distance > ${tolerance};
        if (differs) differing += 1;
        shown.data.set(differs ? [0, 0, 0, 255] : [240, 240, 240, 255], at);
      }
      canvas.getContext('2d').putImageData(shown, 0, 0);
      return [differing / (kept.width * height), canvas.toDataURL('image/png')];
    })(${JSON.stringify(pictures)})`);
    return { share, difference: Buffer.from(url.slice(url.indexOf(',') + 1), 'base64') };
  } finally {
    await page.close();
  }
}
