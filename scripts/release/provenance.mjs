import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const buildType = 'https://strongroom.invalid/build/npm-run-release/v1';

/**
 * Writes where the files come from, as a statement of in-toto with SLSA provenance 1.0. It names the commit and the hash
 * of each file. It is true of every build of the commit, so it has no time and does not name the machine; the signature
 * of SHA256SUMS, which contains its hash, says who vouches for it.
 */
export function writeProvenance({ version, revision, repository, bases, output }) {
  const subject = readdirSync(output)
    .sort()
    .map((name) => ({ name, digest: { sha256: sha256(path.join(output, name)) } }));
  const uri = `git+${repository ?? 'https://strongroom.invalid/repository'}@refs/tags/v${version}`;
  const statement = {
    _type: 'https://in-toto.io/Statement/v1',
    subject,
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType,
        externalParameters: { tag: `v${version}`, ...(repository === undefined ? {} : { repository }) },
        internalParameters: Object.fromEntries(Object.entries(bases).filter(([, image]) => image !== undefined)),
        resolvedDependencies: [{ uri, digest: { gitCommit: revision } }],
      },
      runDetails: { builder: { id: `${buildType}#local` } },
    },
  };
  const file = path.join(output, `strongroom-${version}-provenance.json`);
  writeFileSync(file, `${JSON.stringify(statement, null, 1)}\n`);
}

function sha256(file) {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}
