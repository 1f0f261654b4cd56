import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { runNode } from './node-process.mjs';

/** Builds the card fields and the demo shop. The vault reads them when it starts. */
export function buildElements(root) {
  return build('card fields', path.join(root, 'elements'), ['build.mjs']);
}

/**
 * Builds the portal if the checkout has no build of it. The vault needs the build to serve the portal's pages with the
 * same headers as in production.
 */
export async function buildPortalOnce(root) {
  if (existsSync(path.join(root, 'server/assets/portal/index.html'))) return;
  const folder = path.join(root, 'portal');
  const vite = createRequire(path.join(folder, 'package.json')).resolve('vite/package.json');
  await build('portal', folder, [path.join(path.dirname(vite), 'bin/vite.js'), 'build']);
}

/** Runs a build. Its output is shown only if it fails. */
async function build(name, folder, command) {
  const { code, output } = await runNode(command, { cwd: folder });
  if (code !== 0) throw new Error(`${output}The ${name} could not be built.`);
}
