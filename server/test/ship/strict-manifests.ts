import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Manifest } from './rendered-chart.ts';

const run = promisify(execFile);
const repository = path.resolve(import.meta.dirname, '../../..');

/**
 * The module with the type of each kind. The types of the Prometheus operator and of the Gateway API are defined below,
 * as far as the chart uses them.
 */
const modules: Readonly<Record<string, string>> = {
  Deployment: 'kubernetes-types/apps/v1.js',
  HorizontalPodAutoscaler: 'kubernetes-types/autoscaling/v2.js',
  Ingress: 'kubernetes-types/networking/v1.js',
  Job: 'kubernetes-types/batch/v1.js',
  NetworkPolicy: 'kubernetes-types/networking/v1.js',
  PodDisruptionBudget: 'kubernetes-types/policy/v1.js',
  Service: 'kubernetes-types/core/v1.js',
  ServiceAccount: 'kubernetes-types/core/v1.js',
};

const customTypes = `
interface Operated<K> { apiVersion: 'monitoring.coreos.com/v1'; kind: K; metadata: ObjectMeta }
interface Endpoint {
  port: string; path: string; interval: string;
  relabelings: { sourceLabels: string[]; targetLabel: string; replacement: string }[];
}
interface ServiceMonitor extends Operated<'ServiceMonitor'> {
  spec: { selector: { matchLabels: Record<string, string> }; endpoints: Endpoint[] };
}
interface Rule { alert?: string; record?: string; expr: string | number; for?: string; labels?: Record<string, string>; annotations?: Record<string, string> }
interface PrometheusRule extends Operated<'PrometheusRule'> {
  spec: { groups: { name: string; interval?: string; rules: Rule[] }[] };
}
interface HTTPRoute {
  apiVersion: 'gateway.networking.k8s.io/v1'; kind: 'HTTPRoute'; metadata: ObjectMeta;
  spec: {
    parentRefs: { name: string; namespace?: string; sectionName?: string; port?: number }[];
    hostnames: string[];
    rules: {
      matches: { path: { type: 'PathPrefix' | 'Exact'; value: string } }[];
      backendRefs: { name: string; port: number }[];
    }[];
  };
}`;

/**
 * Returns the errors that Kubernetes would reject: members that a kind does not have, values of another type, and
 * missing required members. The TypeScript compiler finds them, because it rejects unknown members of a literal at
 * every depth.
 */
export async function findMistakes(manifests: readonly Manifest[]): Promise<string[]> {
  // Packages can be resolved from this folder.
  const cache = path.join(repository, 'node_modules/.cache');
  await mkdir(cache, { recursive: true });
  const folder = await mkdtemp(path.join(cache, 'strongroom-manifests-'));
  try {
    await writeFile(path.join(folder, 'manifests.ts'), toSource(manifests));
    const compilerOptions = { noEmit: true, strict: true, module: 'nodenext', target: 'es2024', types: [] };
    await writeFile(path.join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['manifests.ts'] }));
    return await compile(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function toSource(manifests: readonly Manifest[]): string {
  const imports = Object.entries(modules).map(([kind, from]) => `import type { ${kind} } from '${from}';`);
  const literals = manifests.map(
    (manifest, index) => `export const manifest${index}: ${manifest.kind} = ${JSON.stringify(manifest, undefined, 1)};`,
  );
  return [...imports, `import type { ObjectMeta } from 'kubernetes-types/meta/v1.js';`, customTypes, ...literals].join(
    '\n',
  );
}

async function compile(folder: string): Promise<string[]> {
  const tsc = path.join(repository, 'node_modules/.bin/tsc');
  try {
    await run(tsc, ['--project', folder, '--pretty', 'false'], { maxBuffer: 16 * 1024 * 1024 });
    return [];
  } catch (error) {
    const { stdout } = error as { readonly stdout?: string };
    if (stdout === undefined || stdout === '') throw error;
    return stdout.trim().split('\n');
  }
}
