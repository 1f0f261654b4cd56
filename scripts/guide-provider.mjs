// A payment provider on this machine for the guides: real TLS under an authority of its own, and a name of its own.
// Says where it is in one line of JSON, and stays until it is told to stop.
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { TestAuthority } from '../server/test/harness/test-authority.ts';
import { TestResolver } from '../server/test/harness/test-resolver.ts';
import { TlsDestination } from '../server/test/harness/tls-destination.ts';

const host = 'api.provider.example';
const [directory = '.'] = process.argv.slice(2);
const authorityFile = path.join(directory, 'provider-ca.pem');

const authority = await TestAuthority.create();
await writeFile(authorityFile, authority.certificate);
const resolver = await TestResolver.start();
resolver.set(host, ['127.0.0.1']);
const destination = await TlsDestination.start(await authority.issue([host]), (socket, request) => {
  const { status, body } = answer(request);
  const text = JSON.stringify(body);
  socket.end(
    `HTTP/1.1 ${status} Answer\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
  );
});

process.stdout.write(
  `${JSON.stringify({ url: `https://${host}:${destination.port}`, port: destination.port, resolver: resolver.address, authority_file: authorityFile })}\n`,
);
process.once('SIGTERM', async () => {
  await Promise.all([destination.stop(), resolver.stop(), authority.remove()]);
});

/** Charges whoever shows a whole card number and a key; tells what it saw of both. */
function answer({ head, body }) {
  if (!head.startsWith('POST /v1/charges ')) return { status: 404, body: { error: 'unknown path' } };
  if (!/\r\nauthorization: Bearer provider-key/i.test(head)) return { status: 401, body: { error: 'unknown key' } };
  const { card = {}, amount } = JSON.parse(body.toString());
  if (!/^\d{12,19}$/.test(card.number)) return { status: 402, body: { error: 'not a card number' } };
  return { status: 201, body: { id: 'ch_1', status: 'succeeded', amount, last4: card.number.slice(-4) } };
}
