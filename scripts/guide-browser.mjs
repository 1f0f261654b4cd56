// What a reader of "Collect a card from a browser" does by hand: opens the page, pays with a card, and looks at what the
// browser sent where.
import { Chromium } from '../server/test/harness/chromium.ts';

const number = '4242424242424242';
const [shopUrl, vaultUrl] = process.argv.slice(2);

const chromium = await Chromium.start();
const { page, complaints } = await chromium.open();
const sent = [];
page.on('request', (request) => sent.push({ url: request.url(), body: request.postData() ?? '' }));
try {
  await page.goto(shopUrl);
  await page.getByLabel('Card number').fill('4242 4242 4242 4242');
  await page.getByLabel('Month').fill('12');
  await page.getByLabel('Year').fill('2030');
  await page.getByLabel('Security code').fill('123');
  await page.getByRole('button', { name: 'Pay' }).click();
  const status = page.getByRole('status');
  await status.getByText('.').waitFor();
  prove('the page says', await status.textContent(), 'Thank you. You paid with XXXXXXXXXXXX4242.');
  const receivers = sent.filter(({ body }) => body.includes(number)).map(({ url }) => url);
  prove('the browser sent the card number to', receivers.join(' '), `${vaultUrl}/tokens`);
  prove('complaints in the console of the browser', complaints.join(' ') || 'none', 'none');
} finally {
  await chromium.stop();
}

function prove(claim, seen, expected) {
  if (seen !== expected) throw new Error(`${claim}: ${seen}; expected: ${expected}`);
  console.log(`✓ ${claim}: ${seen}`);
}
