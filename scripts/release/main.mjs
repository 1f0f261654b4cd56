// Builds the files of a release from a tag: `npm run release -- v0.2.0 --cosign-key cosign.key`.
//
// Everything comes from the commit of the tag, not from the working tree. Two builds of the same commit are identical
// byte for byte, except for signatures, which are random. docs/releasing.md explains the steps before and after.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { packChart } from './chart.mjs';
import { packDeploy } from './deploy.mjs';
import { buildImage } from './image.mjs';
import { writeNotes } from './notes.mjs';
import { buildPackages } from './packages.mjs';
import { writeProvenance } from './provenance.mjs';
import { repositoryOf } from './repository.mjs';
import { writeSbom } from './sbom.mjs';
import { sign } from './signature.mjs';
import { writeSums } from './sums.mjs';
import { requireSameVersion } from './versions.mjs';

const usage = `npm run release -- <tag> [--output <folder>] [--cosign-key <file>] [--no-image] [--platform <platform> …] [--build-image <image>] [--runtime-image <image>]

  <tag>                  v and the version, for example v0.2.0; it has to exist
  --output <folder>      where the files go; release/<version> unless given; must be empty
  --cosign-key <file>    signs the checksums with this key of cosign; its password is in COSIGN_PASSWORD
  --no-image             leaves out the image, which needs buildah
  --platform <platform>  builds the image for this platform; linux/amd64 and linux/arm64 unless given, which needs an emulator
  --build-image, --runtime-image <image>    bases of the image, by digest; those of the Containerfile unless given
`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  allowNegative: true,
  options: {
    output: { type: 'string' },
    'cosign-key': { type: 'string' },
    image: { type: 'boolean', default: true },
    platform: { type: 'string', multiple: true, default: ['linux/amd64', 'linux/arm64'] },
    'build-image': { type: 'string' },
    'runtime-image': { type: 'string' },
  },
});
const [tag] = positionals;
if (!/^v\d+\.\d+\.\d+(-[\w.]+)?$/.test(tag ?? '')) {
  process.stderr.write(usage);
  process.exit(2);
}

const version = tag.slice(1);
const output = path.resolve(values.output ?? `release/${version}`);
mkdirSync(output, { recursive: true });
if (readdirSync(output).length > 0) {
  process.stderr.write(`${output} is not empty. Remove what is in it, or name another folder with --output.\n`);
  process.exit(1);
}

const revision = git('rev-parse', `refs/tags/${tag}^{commit}`);
const committedAt = Number(git('show', '--no-patch', '--format=%ct', revision));
const folder = mkdtempSync(path.join(tmpdir(), 'strongroom-release-'));
try {
  execFileSync('sh', ['-c', 'git -c core.autocrlf=false archive --format=tar "$0" | tar -x -C "$1"', revision, folder]);
  const bases = { build: values['build-image'], runtime: values['runtime-image'] };
  const repository = repositoryOf(folder);
  const platforms = values.platform;
  const release = { version, revision, repository, committedAt, bases, platforms, folder, output };
  const steps = [
    ['versions agree', requireSameVersion],
    ['notes', writeNotes],
    ['packages', buildPackages],
    ['chart', packChart],
    ['files for deployment', packDeploy],
    ['list of components', writeSbom],
    ...(values.image ? [['image', buildImage]] : []),
    ['provenance', writeProvenance],
    ['checksums', writeSums],
    ...(values['cosign-key'] === undefined ? [] : [['signature', (it) => sign(it, values['cosign-key'])]]),
  ];
  for (const [index, [name, step]] of steps.entries()) {
    process.stdout.write(`${index + 1}/${steps.length} ${name}\n`);
    step(release);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.stdout.write(
  `\n${output}\n${readdirSync(output)
    .map((name) => `  ${name}\n`)
    .join('')}`,
);

function git(...parts) {
  return execFileSync('git', parts, { encoding: 'utf8' }).trim();
}
