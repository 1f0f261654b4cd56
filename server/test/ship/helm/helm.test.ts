import { cp, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { ChartRenderer, chart, type Manifest, type Rendered, valueSets } from '../rendered-chart.ts';
import { ImageRegistry } from './image-registry.ts';
import { KubernetesPrograms } from './kubernetes-programs.ts';

/* Checks the chart with the real Helm. It needs no cluster for anything that is asked of it here. */

describe.runIf(KubernetesPrograms.exist)('Helm', () => {
  let programs: KubernetesPrograms;
  beforeAll(async () => {
    programs = await KubernetesPrograms.prepare();
  }, 300_000);
  afterAll(() => programs[Symbol.asyncDispose]());

  it.each(['defaults', ...valueSets])('finds nothing wrong with the chart and these values: %s', async (set) => {
    const values = set === 'defaults' ? [] : ['--values', valuesOf(set)];
    const output = await programs.helm('lint', '--strict', chart, ...values);
    expect(output).toContain('1 chart(s) linted, 0 chart(s) failed');
  });

  it('would find a value that the schema does not know, and a template that cannot be read', async () => {
    const unknown = { stdout: expect.stringContaining('replica') };
    await expect(programs.helm('lint', chart, '--set', 'serve.replica=3')).rejects.toMatchObject(unknown);
    const broken = path.join(programs.folder, 'broken');
    await cp(chart, broken, { recursive: true });
    const template = path.join(broken, 'templates/services.yaml');
    await writeFile(template, `${await readFile(template, 'utf8')}\n{{ include "strongroom.missing" . }}\n`);
    const report = { stdout: expect.stringContaining('strongroom.missing') };
    await expect(programs.helm('lint', broken, '--values', valuesOf('minimal'))).rejects.toMatchObject(report);
  });

  it('renders the manifests that the other tests of the chart look at', { timeout: 120_000 }, async () => {
    await using renderer = await ChartRenderer.build();
    for (const set of valueSets) {
      const parts = ['vault', chart, '--namespace', 'payments', '--values', valuesOf(set)];
      const text = await programs.helm('template', ...parts);
      // Kubernetes reads YAML 1.1, in which 0440 is octal.
      const manifests = parseAllDocuments(text, { version: '1.1' }).map((document) => document.toJS() as Manifest);
      const rendered: Rendered = await renderer.renderSet(set);
      expect(byName(manifests), set).toEqual(byName(rendered.manifests));
    }
  });

  it('pushes the chart of a release to a registry as an OCI artefact, and renders it from there', async () => {
    const { packChart } = (await import(pathOfPackChart)) as {
      packChart: (release: { version: string; folder: string; output: string }) => void;
    };
    const version = await versionOfChart();
    packChart({ version, folder: path.resolve(chart, '../..'), output: programs.folder });
    await using registry = await ImageRegistry.start();
    const address = `oci://${registry.host}/charts`;
    await programs.helm('push', `strongroom-chart-${version}.tgz`, address, '--plain-http');
    expect(registry.manifest('charts/strongroom', version)).toMatchObject({
      config: { mediaType: 'application/vnd.cncf.helm.config.v1+json' },
      annotations: { 'org.opencontainers.image.title': 'strongroom', 'org.opencontainers.image.version': version },
    });
    const values = valuesOf('minimal');
    const from = [`${address}/strongroom`, '--version', version, '--plain-http', '--values', values];
    const pulled = (await programs.helm('template', 'vault', ...from)).replace(/^(Pulled|Digest): .*\n/gm, '');
    expect(pulled).toBe(await programs.helm('template', 'vault', chart, '--values', values));
  });
});

const pathOfPackChart = '../../../../scripts/release/chart.mjs';

function valuesOf(set: string): string {
  return path.join(chart, 'ci', `${set}-values.yaml`);
}

async function versionOfChart(): Promise<string> {
  const [, version] = /^version: (.+)$/m.exec(await readFile(path.join(chart, 'Chart.yaml'), 'utf8')) ?? [];
  if (version === undefined) throw new Error('The chart has no version.');
  return version;
}

function byName(manifests: readonly Manifest[]): Map<string, Manifest> {
  const named = manifests.map((one) => [`${one.kind}/${one.metadata.name}`, one] as const);
  return new Map(named.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
