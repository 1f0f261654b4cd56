import jsqr from 'jsqr';
import type { Locator } from 'playwright-core';

interface Pixels {
  /**
   * The red, green, blue and opacity values of each pixel in base64. They would take seconds to transfer as numbers.
   */
  readonly data: string;
  readonly width: number;
  readonly height: number;
}

/** Returns a script that runs in a browser. */
const readPixels = (base64: string) => `(async () => {
  const bitmap = await createImageBitmap(await (await fetch('data:image/png;base64,${base64}')).blob());
  const { width, height } = bitmap;
  const canvas = new OffscreenCanvas(width, height).getContext('2d');
  canvas.drawImage(bitmap, 0, 0);
  const { data } = canvas.getImageData(0, 0, width, height);
  return { data: new Uint8Array(data.buffer).toBase64(), width, height };
})()`;

/**
 * Returns the text that a camera would read from an element of a page, by decoding the pixels that the browser draws.
 */
export async function readQrCode(element: Locator): Promise<string | undefined> {
  const picture = (await element.screenshot()).toString('base64');
  // The picture is decoded in another page, because the first page's policy blocks images.
  const page = await element.page().context().newPage();
  try {
    const { data, width, height } = await page.evaluate<Pixels>(readPixels(picture));
    return jsqr.default(new Uint8ClampedArray(Buffer.from(data, 'base64')), width, height)?.data;
  } finally {
    await page.close();
  }
}
