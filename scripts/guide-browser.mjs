// Automates the manual steps of "Collect a card from a browser" and "Show a card to its owner": opens a page, pays or
// shows a card, and checks which requests the browser sent to which address. Usage: guide-browser.mjs collect|show
// <page> <origin of the fields>
import { Chromium } from '../server/test/harness/chromium.ts';

const number = '4242424242424242';
const [task, pageUrl, elementsUrl] = process.argv.slice(2);

const chromium = await Chromium.start();
const { page, complaints } = await chromium.open();
const sent = [];
page.on('request', (request) => sent.push({ url: request.url(), body: request.postData() ?? '' }));
const field = (name) => page.frameLocator(`#${name} iframe`).getByRole('textbox');
const status = page.getByRole('status');
try {
  await page.goto(pageUrl);
  if (task === 'collect') await collect();
  else await show();
  const document = await page.content();
  prove('the page has the card number', /4242.?4242.?4242/.test(document) ? 'yes' : 'no', 'no');
  prove('complaints in the console of the browser', complaints.join(' ') || 'none', 'none');
} finally {
  await chromium.stop();
}

async function collect() {
  await page.locator('button:enabled').waitFor();
  await field('number').pressSequentially(number);
  await field('date').pressSequentially('1230');
  await field('code').pressSequentially('123');
  await page.getByRole('button', { name: 'Pay' }).click();
  await status.getByText('.').waitFor();
  prove('the page says', await status.textContent(), 'Thank you. You paid with visa •••• 4242.');
  const receivers = sent.filter(({ body }) => body.includes(number)).map(({ url }) => url);
  prove('the browser sent the card number to', receivers.join(' '), `${elementsUrl}/api/tokens`);
}

async function show() {
  await page.locator('button:enabled').waitFor();
  await page.getByRole('button', { name: 'Show' }).click();
  await status.getByText('.').waitFor();
  prove('the page says', await status.textContent(), 'Only you can see it.');
  await page.frameLocator('#number iframe').locator('body.complete').waitFor();
  prove('the frame shows', await field('number').inputValue(), '4242 4242 4242 4242');
}

function prove(claim, seen, expected) {
  if (seen !== expected) throw new Error(`${claim}: ${seen}; expected: ${expected}`);
  console.log(`✓ ${claim}: ${seen}`);
}
