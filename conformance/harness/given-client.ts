import { createRequire } from 'node:module';
import path from 'node:path';
import type * as earlier from '@basis-theory/node-sdk-2';

/** A folder with a version of the client for Node.js that the registry at hand does not have: `npm run test` drives it too. */
const variable = 'CONFORMANCE_NODE_SDK';

/** Undefined when none is given. */
export function loadGivenClient(): { readonly version: string; readonly library: typeof earlier } | undefined {
  const folder = process.env[variable];
  if (folder === undefined || folder === '') return undefined;
  const load = createRequire(import.meta.url);
  const { version } = load(path.join(folder, 'package.json')) as { version: string };
  return { version, library: load(folder) as typeof earlier };
}
