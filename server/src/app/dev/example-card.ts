import { LoopbackClient } from '../../platform/loopback/loopback-client.ts';

const exampleId = 'example-card';
/** A test number that payment providers document. No bank has issued it. */
const number = '4242424242424242';

/** Stores an example card like a client would, and returns its id. A card from an earlier run is kept. */
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
