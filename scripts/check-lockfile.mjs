// The lockfile must name versions and hashes only: a download address would tie every checkout to one registry.
import { readFileSync } from 'node:fs';

const lock = JSON.parse(readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8'));
const withAddress = Object.entries(lock.packages).filter(([, entry]) => /^https?:/.test(entry.resolved ?? ''));
if (withAddress.length > 0) {
  process.stderr.write(
    `package-lock.json holds ${withAddress.length} download addresses, the first at ${withAddress[0][0]}.\n`,
  );
  process.stderr.write('Remove the file and run `npm install`: the .npmrc of this repository leaves them out.\n');
  process.exit(1);
}
