import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** Writes the checksums for `sha256sum --check SHA256SUMS`. */
export function writeSums({ output }) {
  const lines = readdirSync(output)
    .sort()
    .map(
      (name) =>
        `${createHash('sha256')
          .update(readFileSync(path.join(output, name)))
          .digest('hex')}  ${name}\n`,
    );
  writeFileSync(path.join(output, 'SHA256SUMS'), lines.join(''));
}
