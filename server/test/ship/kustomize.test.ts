import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Deployment } from 'kubernetes-types/apps/v1.js';
import type { Job } from 'kubernetes-types/batch/v1.js';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse, parseAllDocuments, stringify } from 'yaml';
import { KubernetesPrograms } from './helm/kubernetes-programs.ts';
import { ChartRenderer, chart, type Manifest, ofKind, type Rendered } from './rendered-chart.ts';
import { findMistakes } from './strict-manifests.ts';

/*
 * Keeps deploy/kustomize/base the same as what the chart renders by default; `KUSTOMIZE=write` writes it. Builds the
 * example with the real kustomize, which is part of kubectl.
 */
const folder = path.join(chart, '../kustomize');
const file = path.join(folder, 'base/vault.yaml');

let rendered: Rendered;
beforeAll(async () => {
  await using renderer = await ChartRenderer.build();
  rendered = await renderer.render();
  if (process.env['KUSTOMIZE'] === 'write') await writeFile(file, toBase(rendered.manifests));
});

describe('the base for kustomize', () => {
  it('is what the chart renders by default', async () => {
    expect(await readFile(file, 'utf8'), 'KUSTOMIZE=write writes it').toBe(toBase(rendered.manifests));
  });

  it('is for any namespace, and has nothing that only Helm understands', async () => {
    const text = await readFile(file, 'utf8');
    expect(text).not.toMatch(/helm|namespace: payments/i);
    expect(text).toContain('kind: Job');
  });
});

describe.runIf(KubernetesPrograms.exist)('the example of kustomize', () => {
  it('builds with the real program', { timeout: 300_000 }, async () => {
    await using programs = await KubernetesPrograms.prepare();
    const manifests = parseAllDocuments(await programs.kubectl('kustomize', path.join(folder, 'example'))).map(
      (document) => document.toJS() as Manifest,
    );
    expect(await findMistakes(manifests)).toEqual([]);
    expect(new Set(manifests.map(({ metadata }) => metadata.namespace))).toEqual(new Set(['vault']));
    const pods = [...ofKind<Deployment>({ manifests }, 'Deployment'), ...ofKind<Job>({ manifests }, 'Job')];
    const images = pods.map(({ spec }) => spec?.template.spec?.containers[0]?.image);
    expect(images).toEqual(Array.from({ length: 3 }, () => 'registry.example.com/strongroom:0.3.0'));
    const serve = pods.find(({ metadata }) => metadata.name.endsWith('-serve'));
    const address = serve?.spec?.template.spec?.containers[0]?.env?.find(
      ({ name }) => name === 'STRONGROOM_PUBLIC_URL',
    );
    expect(address?.value).toBe('https://vault.example.com');
  });
});

describe('the example of External Secrets', () => {
  it('creates the Secrets and keys that the values refer to', async () => {
    const text = await readFile(path.join(chart, '../external-secrets/external-secrets.yaml'), 'utf8');
    const created = parseAllDocuments(text)
      .map((document) => document.toJS() as ExternalSecret)
      .filter(({ kind }) => kind === 'ExternalSecret')
      .flatMap(({ spec }) => spec.data.map(({ secretKey }) => `${spec.target.name}/${secretKey}`));
    const values: unknown = parse(await readFile(path.join(chart, 'ci/external-secrets-values.yaml'), 'utf8'));
    expect(created.toSorted()).toEqual(referencesIn(values).toSorted());
  });
});

interface ExternalSecret {
  readonly kind: string;
  readonly spec: {
    readonly target: { readonly name: string };
    readonly data: readonly { readonly secretKey: string }[];
  };
}

/** Returns the references to Secrets anywhere in values, as name and key. */
function referencesIn(values: unknown): string[] {
  if (typeof values !== 'object' || values === null) return [];
  const { existingSecret, key } = values as { existingSecret?: string; key?: string };
  if (existingSecret) return [`${existingSecret}/${key}`];
  return Object.values(values).flatMap(referencesIn);
}

function toBase(manifests: readonly Manifest[]): string {
  const head =
    '# Written from the chart: KUSTOMIZE=write npx vitest run test/ship/kustomize.test.ts in the folder server.\n';
  return head + manifests.map((manifest) => stringify(withoutHelm(manifest), { lineWidth: 0 })).join('---\n');
}

/** Removes the namespace of the release, and annotations and labels of Helm, also from pods. */
function withoutHelm(manifest: Manifest): unknown {
  return JSON.parse(JSON.stringify(manifest), (name, value: unknown) => {
    if (name === 'namespace' && value === 'payments') return undefined;
    if (name.startsWith('helm.sh/') || name === 'app.kubernetes.io/managed-by') return undefined;
    const isEmpty = typeof value === 'object' && value !== null && Object.keys(value).length === 0;
    return name === 'annotations' && isEmpty ? undefined : value;
  });
}
