import { Readable } from 'node:stream';
import type * as Sdk from '@aws-sdk/client-s3';
import type { Sensitive } from '../../core/identity/sensitive.ts';
import { membersOf } from '../../core/objects/members-of.ts';
import { limitedBody } from '../outbound/limited-body.ts';
import { type ObjectStore, ObjectStoreError, tooLarge } from './object-store.ts';

/** A part of a bucket, and how to reach it. */
export interface S3Options {
  readonly bucket: string;
  /** What all names begin with, without a slash at the end; empty for the whole bucket. */
  readonly prefix: string;
  readonly region: string;
  /** The address of storage that speaks the protocol, if it is not that of AWS. */
  readonly endpoint?: string | undefined;
  /** The access key. If there is none, the SDK finds credentials as in every other program. */
  readonly accessKey?: { readonly id: string; readonly secret: Sensitive<string> } | undefined;
}

const connectMs = 5_000;
/** The time limit of a request, with its retries. The largest files have a few megabytes. */
const requestMs = 60_000;
const attemptsMax = 3;
/**
 * The largest response that is no file: a page of a list, or an error. The SDK reads them into memory, whatever their
 * size.
 */
const answerBytesMax = 8 * 1024 * 1024;
const foldersPerPage = 1_000;
/** The pages of one list. Storage that never comes to an end must not hold a command for ever. */
const pagesMax = 100;

/** Stores files in S3-compatible storage, through the SDK of AWS. */
export class S3Store implements ObjectStore {
  readonly name: string;
  readonly #options: S3Options;
  #opened: Promise<{ readonly sdk: typeof Sdk; readonly client: Sdk.S3Client }> | undefined;

  constructor(options: S3Options) {
    this.#options = options;
    this.name = `s3://${[options.bucket, options.prefix].filter((part) => part !== '').join('/')}`;
  }

  async put(key: string, content: Buffer): Promise<void> {
    await this.#call(key, (sdk, client, abortSignal) =>
      client.send(new sdk.PutObjectCommand({ ...this.#object(key), Body: content }), { abortSignal }),
    );
  }

  async get(key: string, bytesMax: number): Promise<Buffer | undefined> {
    return this.#call(key, async (sdk, client, abortSignal) => {
      const found = await client.send(new sdk.GetObjectCommand(this.#object(key)), { abortSignal }).catch(orNothing);
      if (found?.Body === undefined) return undefined;
      const chunks: Buffer[] = [];
      let bytes = 0;
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- in Node.js, a body is a stream.
      for await (const chunk of found.Body as AsyncIterable<Buffer>) {
        bytes += chunk.length;
        if (bytes > bytesMax) throw tooLarge(this.name, key, bytesMax);
        chunks.push(chunk);
      }
      return Buffer.concat(chunks);
    });
  }

  async delete(key: string): Promise<void> {
    await this.#call(key, (sdk, client, abortSignal) =>
      client.send(new sdk.DeleteObjectCommand(this.#object(key)), { abortSignal }),
    );
  }

  async listFolders(max: number): Promise<string[]> {
    const prefix = this.#key('');
    const folders: string[] = [];
    let from: string | undefined;
    let pages = 0;
    do {
      pages += 1;
      if (pages > pagesMax) throw new ObjectStoreError(`The list of ${this.name} has more than ${pagesMax} pages.`);
      const page = await this.#call('', (sdk, client, abortSignal) =>
        client.send(
          new sdk.ListObjectsV2Command({
            Bucket: this.#options.bucket,
            Prefix: prefix,
            Delimiter: '/',
            MaxKeys: foldersPerPage,
            ...(from === undefined ? {} : { ContinuationToken: from }),
          }),
          { abortSignal },
        ),
      );
      for (const { Prefix: folder = '' } of page.CommonPrefixes ?? []) folders.push(folder.slice(prefix.length, -1));
      from = page.NextContinuationToken;
    } while (from !== undefined && folders.length < max);
    return folders.slice(0, max);
  }

  /** The next request opens new connections and looks for credentials again. */
  close(): void {
    void this.#opened?.then(({ client }) => client.destroy()).catch(() => undefined);
    this.#opened = undefined;
  }

  #object(key: string): { readonly Bucket: string; readonly Key: string } {
    return { Bucket: this.#options.bucket, Key: this.#key(key) };
  }

  #key(key: string): string {
    return this.#options.prefix === '' ? key : `${this.#options.prefix}/${key}`;
  }

  async #call<T>(
    key: string,
    send: (sdk: typeof Sdk, client: Sdk.S3Client, signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    this.#opened ??= open(this.#options);
    try {
      const { sdk, client } = await this.#opened;
      return await send(sdk, client, AbortSignal.timeout(requestMs));
    } catch (error) {
      if (error instanceof ObjectStoreError) throw error;
      throw toStoreError(this.name, key, error);
    }
  }
}

async function open({ region, endpoint, accessKey }: S3Options) {
  const sdk = await import('@aws-sdk/client-s3').catch((error: unknown) => {
    const advice = 'Run: npm install @aws-sdk/client-s3';
    throw new ObjectStoreError(
      `S3 requires the optional package @aws-sdk/client-s3, which is not installed. ${advice}`,
      {
        cause: error,
      },
    );
  });
  const client = new sdk.S3Client({
    region,
    maxAttempts: attemptsMax,
    // Storage of others knows neither names of buckets in host names nor the newer checksums.
    ...(endpoint === undefined ? {} : { endpoint, forcePathStyle: true }),
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    ...(accessKey === undefined
      ? {}
      : { credentials: { accessKeyId: accessKey.id, secretAccessKey: accessKey.secret.reveal() } }),
    requestHandler: { connectionTimeout: connectMs, requestTimeout: requestMs, throwOnRequestTimeout: true },
  });
  limitAnswers(client);
  return { sdk, client };
}

/** Limits what is read of a response, except of files, whose readers have a limit of their own. */
function limitAnswers(client: Sdk.S3Client): void {
  client.middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        const result = await next(args);
        const { statusCode, body } = membersOf(result.response);
        const isFile = commandName === 'GetObjectCommand' && statusCode === 200;
        if (!isFile && body instanceof Readable)
          Object.assign(membersOf(result.response), { body: limitedBody(body, answerBytesMax) });
        return result;
      },
    // The SDK reads the body in this step. Of the same step, what has a low priority sees a response first.
    { step: 'deserialize', priority: 'low' },
  );
}

function orNothing(error: unknown): undefined {
  if (membersOf(error)['name'] === 'NoSuchKey') return undefined;
  throw error;
}

/** Returns an error without the message of the SDK, which can repeat what the storage sent. */
function toStoreError(store: string, key: string, error: unknown): ObjectStoreError {
  const { name, code, $metadata } = membersOf(error);
  const { httpStatusCode: status } = membersOf($metadata);
  const words = [name, code].filter((word) => typeof word === 'string' && /^[A-Za-z_]{3,64}$/.test(word));
  const shown = [...new Set(words), ...(typeof status === 'number' ? [`status ${status}`] : [])].join(', ');
  const what = key === '' ? store : `${key} in ${store}`;
  return new ObjectStoreError(
    `${what} cannot be used (${shown || 'no response'}). Check the bucket, the region, the endpoint and the credentials.`,
  );
}
