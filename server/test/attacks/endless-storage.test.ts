import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Sensitive } from '../../src/core/identity/sensitive.ts';
import { S3Store } from '../../src/platform/object-storage/s3-store.ts';

/*
 * Storage that has always another page of its list, or more to say about an error than fits into memory. Verifying an
 * archive, and the job that drops months, read the list to its end and never came back. The SDK of AWS keeps whatever is
 * not a file in memory as a whole.
 */
const megabyte = 1024 * 1024;
let storage: Server;
let store: S3Store;
let respond: (response: ServerResponse) => void;
beforeEach(async () => {
  storage = createServer((request, response) => {
    request.resume();
    respond(response);
  });
  storage.listen(0, '127.0.0.1');
  await once(storage, 'listening');
  const { port } = storage.address() as AddressInfo;
  store = new S3Store({
    bucket: 'bucket',
    prefix: '',
    region: 'eu-central-1',
    endpoint: `http://127.0.0.1:${port}`,
    accessKey: { id: 'id', secret: new Sensitive('secret') },
  });
});
afterEach(async () => {
  store.close();
  storage.closeAllConnections();
  storage.close();
  await once(storage, 'close');
});

it('a list that never ends is given up', async () => {
  let pages = 0;
  respond = (response) => {
    pages += 1;
    response.writeHead(200, { 'content-type': 'application/xml' });
    response.end(
      `<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>${pages}</NextContinuationToken></ListBucketResult>`,
    );
  };
  await expect(store.listFolders(4_000)).rejects.toThrow('The list of s3://bucket has more than 100 pages.');
  expect(pages).toBe(100);
});

describe('a response that never ends', () => {
  const calls: readonly (readonly [string, number, () => Promise<unknown>])[] = [
    ['an error', 400, () => store.put('key', Buffer.from('x'))],
    ['an error about a file', 400, () => store.get('key', 10)],
    ['a page of a list', 200, () => store.listFolders(10)],
    ['a file', 200, () => store.get('key', megabyte)],
  ];
  it.each(calls)('as %s is not read to its end', async (_name, status, call) => {
    let sent = 0;
    respond = (response) => {
      response.writeHead(status, { 'content-type': 'application/xml' });
      const more = () => {
        while (sent < 256 * megabyte && !response.destroyed) {
          sent += megabyte;
          if (!response.write(Buffer.alloc(megabyte, ' '))) return;
        }
        response.end();
      };
      response.on('drain', more);
      more();
    };
    await expect(call()).rejects.toThrow('s3://bucket');
    // A few megabytes more are on their way, and errors are tried again.
    expect(sent).toBeLessThan(64 * megabyte);
  });
});
