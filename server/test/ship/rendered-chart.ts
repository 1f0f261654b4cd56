import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Deployment } from 'kubernetes-types/apps/v1.js';
import type { Job } from 'kubernetes-types/batch/v1.js';
import type { PodTemplateSpec } from 'kubernetes-types/core/v1.js';
import type { ObjectMeta } from 'kubernetes-types/meta/v1.js';

const run = promisify(execFile);
const repository = path.resolve(import.meta.dirname, '../../..');
export const chart = path.join(repository, 'deploy/chart');
export const valueSets = ['minimal', 'ha', 'hsm', 'external-secrets', 'no-proxy', 'google', 'gateway'] as const;
export type ValueSet = (typeof valueSets)[number];

export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta & { readonly name: string };
}

/** The result of rendering a chart with some values. */
export interface Rendered {
  readonly values: Record<string, unknown>;
  readonly notes: string;
  readonly manifests: readonly Manifest[];
}

/** Renders with Go's templates and sprig, as Helm does, from Debian's golang-go and golang-*-dev packages. */
export class ChartRenderer implements AsyncDisposable {
  readonly #folder: string;
  #files = 0;

  static async build(): Promise<ChartRenderer> {
    const folder = await mkdtemp(path.join(tmpdir(), 'strongroom-chart-'));
    const cache = path.join(repository, 'node_modules/.cache/strongroom-go');
    await mkdir(cache, { recursive: true });
    const build = ['go', 'build', '-o', path.join(folder, 'render-chart'), '.'];
    // Builds run one at a time, so that later ones reuse the compiled files of the first.
    await run('flock', [path.join(cache, 'building'), ...build], {
      cwd: path.join(repository, 'scripts/ship/render-chart'),
      env: {
        ...process.env,
        GO111MODULE: 'off',
        GOPATH: '/usr/share/gocode',
        GOCACHE: cache,
      },
    });
    return new ChartRenderer(folder);
  }

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** Renders with the values of a file in `ci`. */
  renderSet(set: ValueSet): Promise<Rendered> {
    return this.#render([path.join(chart, 'ci', `${set}-values.yaml`)]);
  }

  /**
   * Renders with these values in addition to the defaults. `objects` are those that Helm finds in the cluster, by kind
   * and name, such as `Secret/strongroom`.
   */
  async render(values: object = {}, objects: Readonly<Record<string, object>> = {}): Promise<Rendered> {
    const file = await this.#write(values);
    return this.#render([file], await this.#write(objects));
  }

  async #write(content: object): Promise<string> {
    const file = path.join(this.#folder, `values-${this.#files++}.json`);
    await writeFile(file, JSON.stringify(content));
    return file;
  }

  async #render(files: readonly string[], objects = ''): Promise<Rendered> {
    const { stdout } = await run(path.join(this.#folder, 'render-chart'), [chart, ...files], {
      env: { ...process.env, RENDER_CHART_OBJECTS: objects },
      maxBuffer: 16 * 1024 * 1024,
    });
    const rendered = JSON.parse(stdout) as Omit<Rendered, 'manifests'> & { manifests: { content: Manifest }[] };
    return { ...rendered, manifests: rendered.manifests.map(({ content }) => content) };
  }

  [Symbol.asyncDispose](): Promise<void> {
    return rm(this.#folder, { recursive: true, force: true });
  }
}

/** Returns all manifests of one kind. The caller names the matching type. */
export function ofKind<T>({ manifests }: Pick<Rendered, 'manifests'>, kind: string): (T & Manifest)[] {
  return manifests.filter((manifest) => manifest.kind === kind) as (T & Manifest)[];
}

export type Role = 'serve' | 'work' | 'migrate';

/** Returns the pod template of a role, from its Deployment or Job. */
export function podsOf(rendered: Rendered, role: Role): PodTemplateSpec & Required<Pick<PodTemplateSpec, 'spec'>> {
  const owner = [...ofKind<Deployment>(rendered, 'Deployment'), ...ofKind<Job>(rendered, 'Job')].find(
    ({ metadata }) => metadata.labels?.['app.kubernetes.io/component'] === role,
  );
  const template = owner?.spec?.template;
  if (template?.spec === undefined) throw new Error(`Nothing runs ${role}.`);
  return { ...template, spec: template.spec };
}

/** Returns the environment of the program in the role's pod. */
export function environmentOf(rendered: Rendered, role: Role): Record<string, string> {
  const container = podsOf(rendered, role).spec.containers[0];
  return Object.fromEntries((container?.env ?? []).map(({ name, value }) => [name, value ?? '']));
}

/** Returns the files of the pod, and the secret or config map of each. */
export function secretFilesOf(rendered: Rendered, role: Role): Map<string, string> {
  const volume = podsOf(rendered, role).spec.volumes?.find(({ name }) => name === 'secrets');
  const files = new Map<string, string>();
  for (const { secret, configMap } of volume?.projected?.sources ?? []) {
    for (const item of (secret ?? configMap)?.items ?? []) {
      files.set(item.path, `${(secret ?? configMap)?.name}/${item.key}`);
    }
  }
  return files;
}
