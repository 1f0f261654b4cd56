// Checks third-party scripts in this repository. Each is one file, byte for byte as it was published.
//
// `node scripts/vendored.mjs check` fails if a file differs from the pinned one. `node scripts/vendored.mjs update
// <version>` extracts the file from the published package and pins it. If an auditor runs it with the pinned version,
// `git diff` shows that nothing has changed.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const directory = path.resolve(import.meta.dirname, '../server/assets/vendor');
const pinFile = path.join(directory, 'pinned.json');
const pinned = JSON.parse(readFileSync(pinFile, 'utf8'));

function hash(algorithm, bytes) {
  return `${algorithm}-${createHash(algorithm).update(bytes).digest('base64')}`;
}

/**
 * Updates the file. npm verifies the package against the registry's hash, and the pin also records the hash of the
 * archive.
 */
function update(version) {
  const scratch = mkdtempSync(path.join(tmpdir(), 'strongroom-vendored-'));
  try {
    execFileSync('npm', ['pack', `${pinned.package}@${version}`, '--pack-destination', scratch], { stdio: 'ignore' });
    const [archive] = readdirSync(scratch);
    const inside = `package/${pinned.path}`;
    const bytes = execFileSync('tar', ['-xzOf', path.join(scratch, archive), inside], { maxBuffer: 64 * 1024 * 1024 });
    const archiveHash = hash('sha512', readFileSync(path.join(scratch, archive)));
    writeFileSync(path.join(directory, pinned.file), bytes);
    writeFileSync(
      pinFile,
      `${JSON.stringify({ ...pinned, version, archive: archiveHash, sha256: hash('sha256', bytes) }, null, 2)}\n`,
    );
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

function check() {
  if (hash('sha256', readFileSync(path.join(directory, pinned.file))) === pinned.sha256) return;
  process.stderr.write(
    `${pinned.file} is not the one of ${pinned.package} ${pinned.version}. Run \`node scripts/vendored.mjs update ${pinned.version}\`.\n`,
  );
  process.exitCode = 1;
}

const [, , command, version] = process.argv;
if (command === 'check') check();
else if (command === 'update' && version !== undefined) update(version);
else throw new Error('Say `check`, or `update <version>`.');
