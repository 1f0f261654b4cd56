import { OperatorError } from '../../core/errors/operator-error.ts';

/** A place for files that are written once: a folder, or a bucket of S3-compatible storage. */
export interface ObjectStore {
  /** The place, for messages. */
  readonly name: string;
  /** Stores a file. It is durable and complete, or absent, when this resolves or rejects. An older one is replaced. */
  put(key: string, content: Buffer): Promise<void>;
  /** Returns undefined if there is no such file. Throws if it has more than `bytesMax` bytes. */
  get(key: string, bytesMax: number): Promise<Buffer | undefined>;
  /** Removes a file, if it exists. */
  delete(key: string): Promise<void>;
  /** Lists the names of the folders at the top, at most `max`. */
  listFolders(max: number): Promise<string[]>;
  close(): void;
}

/** A store did not do what it was asked. The message names the store and a reason, but nothing that the store sent. */
export class ObjectStoreError extends OperatorError {}

export function tooLarge(store: string, key: string, bytesMax: number): ObjectStoreError {
  return new ObjectStoreError(`${key} in ${store} has more than ${bytesMax} bytes.`);
}
