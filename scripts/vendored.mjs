// Checks third-party files in this repository: a script and typefaces, byte for byte as they were published.
//
// `node scripts/vendored.mjs check` fails if a file differs from the pinned one. `node scripts/vendored.mjs update
// <package> [version]` extracts the files of a package and pins them, also those of which pinned.json has only `file`
// and `path`. Without a version, it takes the pinned one: if an auditor does that, `git diff` shows that nothing has
// changed.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const directory = path.resolve(import.meta.dirname, '../server/assets/vendor');
const pinFile = path.join(directory, 'pinned.json');
const packages = JSON.parse(readFileSync(pinFile, 'utf8'));

function hash(algorithm, bytes) {
  return `${algorithm}-${createHash(algorithm).update(bytes).digest('base64')}`;
}

/**
 * Updates the files of a package. npm verifies the package against the registry's hash, and the pin also records the
 * hash of the archive.
 */
function update(name, wanted) {
  const pinned = packages.find((one) => one.package === name);
  if (pinned === undefined) throw new Error(`No file of ${name} is pinned.`);
  const version = wanted ?? pinned.version;
  const scratch = mkdtempSync(path.join(tmpdir(), 'strongroom-vendored-'));
  try {
    execFileSync('npm', ['pack', `${name}@${version}`, '--pack-destination', scratch], { stdio: 'ignore' });
    const [archive] = readdirSync(scratch);
    pinned.version = version;
    pinned.archive = hash('sha512', readFileSync(path.join(scratch, archive)));
    for (const file of pinned.files) {
      const inside = `package/${file.path}`;
      const bytes = execFileSync('tar', ['-xzOf', path.join(scratch, archive), inside], {
        maxBuffer: 64 * 1024 * 1024,
      });
      writeFileSync(path.join(directory, file.file), bytes);
      file.sha256 = hash('sha256', bytes);
    }
    writeFileSync(pinFile, `${JSON.stringify(packages, null, 2)}\n`);
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

function check() {
  for (const { package: name, version, files } of packages) {
    for (const { file, sha256 } of files) {
      if (hash('sha256', readFileSync(path.join(directory, file))) === sha256) continue;
      process.stderr.write(
        `${file} is not the one of ${name} ${version}. Run \`node scripts/vendored.mjs update ${name} ${version}\`.\n`,
      );
      process.exitCode = 1;
    }
  }
}

const [, , command, name, version] = process.argv;
if (command === 'check') check();
else if (command === 'update' && name !== undefined) update(name, version);
else throw new Error('Say `check`, or `update <package> [version]`.');
