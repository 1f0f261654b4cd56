import path from 'node:path';
import { run, signing } from './run.mjs';

/**
 * Signs the checksums, and with them every file. Nothing is uploaded to a transparency log, so that a release needs no
 * network.
 */
export function sign({ output }, key) {
  const sums = path.join(output, 'SHA256SUMS');
  const parts = ['sign-blob', '--yes', '--key', path.resolve(key), '--tlog-upload=false'];
  run('cosign', [...parts, '--output-signature', `${sums}.sig`, sums], { env: signing });
}
