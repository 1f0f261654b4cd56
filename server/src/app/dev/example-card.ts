import { LoopbackClient } from '../../platform/loopback/loopback-client.ts';

const exampleId = 'example-card';
/** The test number that payment providers document; no bank has issued it. */
const number = '4242424242424242';

/** Stores a card to try things on, as a client would; one that an earlier run has stored stays. Returns its id. */
export async function storeExampleCard(url: string, key: string): Promise<string> {
  const client = new LoopbackClient(url);
  try {
    const { status } = await client.ask({
      method: 'POST',
      path: '/tokens',
      headers: { 'bt-api-key': key },
      body: {
        id: exampleId,
        type: 'card',
        data: { number, expiration_month: 12, expiration_year: new Date().getFullYear() + 4 },
      },
    });
    if (status !== 201 && status !== 409) throw new Error(`The example card was not stored: status ${status}.`);
    return exampleId;
  } finally {
    client.close();
  }
}
