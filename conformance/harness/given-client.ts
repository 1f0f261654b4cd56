import { createRequire } from 'node:module';
import path from 'node:path';
import type * as earlier from '@basis-theory/node-sdk-2';

/**
 * The environment variable that names a folder with a version of the Node.js client that the current registry lacks. If
 * it is set, `npm run test` tests that version too.
 */
const variable = 'CONFORMANCE_NODE_SDK';

/** Loads the client. Returns undefined if no folder is given. */
export function loadGivenClient(): { readonly version: string; readonly library: typeof earlier } | undefined {
  const folder = process.env[variable];
  if (folder === undefined || folder === '') return undefined;
  const load = createRequire(import.meta.url);
  const { version } = load(path.join(folder, 'package.json')) as { version: string };
  return { version, library: load(folder) as typeof earlier };
}
