import { FolderStore } from './folder-store.ts';
import type { ObjectStore } from './object-store.ts';
import { type S3Options, S3Store } from './s3-store.ts';

/** Where files are stored: the path of a folder, or a part of a bucket. */
export type ObjectStoreConfig = { readonly folder: string } | { readonly s3: S3Options };

/** Opens a store. Nothing is connected before the first file. */
export function openObjectStore(config: ObjectStoreConfig): ObjectStore {
  return 'folder' in config ? new FolderStore(config.folder) : new S3Store(config.s3);
}
