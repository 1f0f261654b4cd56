import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Deployment } from 'kubernetes-types/apps/v1.js';
import type { HorizontalPodAutoscaler } from 'kubernetes-types/autoscaling/v2.js';
import type { Job } from 'kubernetes-types/batch/v1.js';
import type { Container, Service, ServiceAccount } from 'kubernetes-types/core/v1.js';
import type { Ingress } from 'kubernetes-types/networking/v1.js';
import type { PodDisruptionBudget } from 'kubernetes-types/policy/v1.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { policyOf, reaches } from './network-reach.ts';
import {
  ChartRenderer,
  chart,
  environmentOf,
  type Manifest,
  ofKind,
  podsOf,
  type Rendered,
  type Role,
  secretFilesOf,
  type ValueSet,
  valueSets,
} from './rendered-chart.ts';
import { findMistakes } from './strict-manifests.ts';

/* Checks what the chart renders for each of its value sets, without a cluster. */

const roles: readonly Role[] = ['serve', 'work', 'migrate'];
const publicSite = { address: '93.184.215.14', port: 443 };

let renderer: ChartRenderer;
const sets = new Map<ValueSet | 'defaults', Rendered>();
beforeAll(async () => {
  renderer = await ChartRenderer.build();
  sets.set('defaults', await renderer.render());
  for (const set of valueSets) sets.set(set, await renderer.renderSet(set));
});
afterAll(() => renderer[Symbol.asyncDispose]());

function rendered(set: ValueSet | 'defaults'): Rendered {
  const found = sets.get(set);
  if (found === undefined) throw new Error(`${set} was not rendered.`);
  return found;
}

function everyPod(): { readonly where: string; readonly role: Role; readonly set: Rendered }[] {
  return [...sets].flatMap(([name, set]) => roles.map((role) => ({ where: `${name}: ${role}`, role, set })));
}

function containersOf(set: Rendered, role: Role): Container[] {
  const { initContainers = [], containers } = podsOf(set, role).spec;
  return [...initContainers, ...containers];
}

describe('manifests', () => {
  it('are what Kubernetes accepts, member by member', async () => {
    const manifests = [...sets.values()].flatMap((set) => set.manifests);
    expect(await findMistakes(manifests)).toEqual([]);
  });

  it('would not pass with a misspelt probe, a text for a number, or a member in the wrong place', async () => {
    const [work] = ofKind<Deployment>(rendered('minimal'), 'Deployment').filter(({ metadata }) =>
      metadata.name.endsWith('-work'),
    );
    const text = JSON.stringify(work);
    const misspelt = text.replace('"readinessProbe"', '"readynessProbe"');
    const mistyped = text.replace(/"periodSeconds":\d+/, '"periodSeconds":"10s"');
    const misplaced = text.replace('"httpGet":{', '"httpGet":{"prot":8081,');
    const mistakes = await findMistakes([misspelt, mistyped, misplaced].map((it) => JSON.parse(it) as Manifest));
    expect(mistakes).toEqual([
      expect.stringContaining(`'"readynessProbe"' does not exist in type 'Container'`),
      expect.stringContaining(`Type 'string' is not assignable to type 'number'`),
      expect.stringContaining(`'"prot"' does not exist in type 'HTTPGetAction'`),
    ]);
  });

  it('have distinct names of their kind, and belong to the namespace of the release', () => {
    for (const [name, { manifests }] of sets) {
      const names = manifests.map(({ kind, metadata }) => `${kind}/${metadata.name}`);
      expect(new Set(names).size, name).toBe(names.length);
      expect(manifests.filter(({ metadata }) => metadata.namespace !== 'payments')).toEqual([]);
    }
  });

  it('point to each other: services, autoscalers, budgets and ingresses find what they name', () => {
    for (const set of sets.values()) {
      const deployments = ofKind<Deployment>(set, 'Deployment');
      const services = ofKind<Service>(set, 'Service');
      for (const { spec } of services) {
        const pods = deployments.filter((it) => matches(spec?.selector, it.spec?.template.metadata?.labels));
        expect(pods).toHaveLength(1);
        const ports = pods[0]?.spec?.template.spec?.containers[0]?.ports?.map(({ name }) => name);
        for (const { targetPort } of spec?.ports ?? []) expect(ports).toContain(targetPort);
      }
      for (const { spec } of ofKind<HorizontalPodAutoscaler>(set, 'HorizontalPodAutoscaler')) {
        const target = deployments.find(({ metadata }) => metadata.name === spec?.scaleTargetRef.name);
        // Otherwise each upgrade would reset the number of replicas.
        expect(target?.spec?.replicas).toBeUndefined();
      }
      for (const { spec } of ofKind<Ingress>(set, 'Ingress')) {
        for (const rule of spec?.rules ?? []) {
          const backend = rule.http?.paths[0]?.backend.service;
          const service = services.find(({ metadata }) => metadata.name === backend?.name);
          expect(service?.spec?.ports?.map(({ name }) => name)).toContain(backend?.port?.name);
        }
      }
    }
  });

  it('spread replicas by the labels that they have', () => {
    for (const { set, role } of everyPod().filter((it) => it.role !== 'migrate')) {
      const { metadata, spec } = podsOf(set, role);
      expect(spec.topologySpreadConstraints).toHaveLength(2);
      for (const { labelSelector } of spec.topologySpreadConstraints ?? []) {
        expect(matches(labelSelector?.matchLabels, metadata?.labels)).toBe(true);
      }
    }
  });
});

describe('every pod', () => {
  it('runs as a user without rights, on a root file system that it cannot write', () => {
    for (const { where, role, set } of everyPod()) {
      const { spec } = podsOf(set, role);
      expect(spec.securityContext, where).toMatchObject({
        runAsNonRoot: true,
        runAsUser: 65532,
        runAsGroup: 65532,
        fsGroup: 65532,
        seccompProfile: { type: 'RuntimeDefault' },
      });
      for (const { securityContext } of containersOf(set, role)) {
        expect(securityContext, where).toEqual({
          allowPrivilegeEscalation: false,
          privileged: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
      }
      expect(spec.hostNetwork ?? spec.hostPID ?? spec.hostIPC, where).toBeUndefined();
    }
  });

  it('keeps its limits of memory, and asks for processor time', () => {
    for (const { where, role, set } of everyPod()) {
      for (const { resources } of containersOf(set, role)) {
        expect(resources?.limits, where).toHaveProperty('memory');
        expect(resources?.requests, where).toHaveProperty('cpu');
      }
    }
  });

  it('has no token of the cluster, and no variables of services, one of which is called STRONGROOM_PORT', () => {
    for (const { role, set } of everyPod()) {
      expect(podsOf(set, role).spec).toMatchObject({ automountServiceAccountToken: false, enableServiceLinks: false });
    }
    for (const set of sets.values()) {
      for (const account of ofKind<ServiceAccount>(set, 'ServiceAccount')) {
        expect(account.automountServiceAccountToken).toBe(false);
      }
    }
  });

  it('runs without a user of its own where the platform assigns one', async () => {
    const { securityContext } = podsOf(await renderer.render({ user: null }), 'serve').spec;
    expect(securityContext).toEqual({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
  });
});

describe('health and stopping', () => {
  it('asks whether a process lives and whether it is ready, at the port that it listens on', () => {
    for (const { where, role, set } of everyPod().filter((it) => it.role !== 'migrate')) {
      const { startupProbe, livenessProbe, readinessProbe, ports } = containersOf(set, role).at(-1) ?? {};
      expect(startupProbe?.httpGet, where).toEqual({ path: '/livez', port: 'admin' });
      // An unavailable database must not restart every server.
      expect(livenessProbe?.httpGet, where).toEqual({ path: '/livez', port: 'admin' });
      expect(readinessProbe?.httpGet, where).toEqual({ path: '/readyz', port: 'admin' });
      const setting = role === 'serve' ? 'STRONGROOM_ADMIN_PORT' : 'STRONGROOM_WORKER_ADMIN_PORT';
      const port = ports?.find(({ name }) => name === 'admin')?.containerPort;
      expect(environmentOf(set, role), where).toMatchObject({ [setting]: `${port}`, STRONGROOM_ADMIN_HOST: '0.0.0.0' });
    }
  });

  it('leaves a server the time to drain, and a worker that for its jobs', () => {
    for (const set of sets.values()) {
      const environment = environmentOf(set, 'serve');
      const drainSeconds =
        Number(environment['STRONGROOM_DRAIN_DELAY_SECONDS']) + Number(environment['STRONGROOM_DRAIN_TIMEOUT_SECONDS']);
      expect(podsOf(set, 'serve').spec.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(drainSeconds + 5);
      expect(podsOf(set, 'work').spec.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(20 + 5);
    }
  });

  it('replaces a server only when its successor is ready, and lets nodes be drained', () => {
    for (const set of sets.values()) {
      for (const { spec } of ofKind<Deployment>(set, 'Deployment')) {
        expect(spec?.strategy).toEqual({ type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } });
        const budgets = ofKind<PodDisruptionBudget>(set, 'PodDisruptionBudget').filter((it) =>
          matches(it.spec?.selector?.matchLabels, spec?.template.metadata?.labels),
        );
        // One pod may always be evicted, whether there is one replica or many.
        expect(budgets.map((it) => it.spec)).toEqual([
          expect.objectContaining({ maxUnavailable: 1, unhealthyPodEvictionPolicy: 'AlwaysAllow' }),
        ]);
      }
    }
  });
});

describe('the migration', () => {
  it('runs before everything else, with an account and a policy that are there before it', () => {
    for (const set of sets.values()) {
      const hooks = set.manifests
        .filter(({ metadata }) => metadata.annotations?.['helm.sh/hook'] !== undefined)
        .map(({ kind, metadata: { name, annotations = {} } }) => ({ kind, name, annotations }))
        .sort((a, b) => weightOf(a) - weightOf(b));
      expect(hooks.map(({ kind }) => kind)).toEqual(['ServiceAccount', 'NetworkPolicy', 'Job']);
      expect(weightOf(hooks[1])).toBeLessThan(weightOf(hooks[2]));
      for (const { annotations } of hooks) {
        expect(annotations['helm.sh/hook']).toBe('pre-install,pre-upgrade');
        // Otherwise a second upgrade would find the job of the first one.
        expect(annotations['helm.sh/hook-delete-policy']).toBe('before-hook-creation,hook-succeeded');
      }
      expect(podsOf(set, 'migrate').spec.serviceAccountName).toBe(hooks[0]?.name);
    }
  });

  it('ends, and is not repeated without end', () => {
    for (const set of sets.values()) {
      const [job] = ofKind<Job>(set, 'Job');
      expect(job?.spec).toMatchObject({ backoffLimit: 3, activeDeadlineSeconds: 3600 });
      expect(podsOf(set, 'migrate').spec.restartPolicy).toBe('Never');
    }
  });

  it('can be left out', async () => {
    const without = await renderer.render({ migrate: { enabled: false } });
    expect(without.manifests.filter(({ metadata }) => metadata.name.endsWith('-migrate'))).toEqual([]);
  });
});

describe('secrets', () => {
  it('are never values: nothing that is created holds one', () => {
    for (const [name, set] of sets) {
      expect(ofKind(set, 'Secret'), name).toEqual([]);
      expect(ofKind(set, 'ConfigMap'), name).toEqual([]);
    }
  });

  it('are files that are mounted, each from what exists before', () => {
    for (const { where, role, set } of everyPod()) {
      const files = secretFilesOf(set, role);
      const named = Object.entries(environmentOf(set, role)).filter(([name]) => name.endsWith('_FILE'));
      for (const [, file] of named) expect([...files.keys()], where).toContain(path.basename(file));
      expect(podsOf(set, role).spec.volumes?.find(({ name }) => name === 'secrets')?.projected?.defaultMode).toBe(
        0o440,
      );
    }
  });

  it('go to those who need them', () => {
    const high = rendered('ha');
    expect([...secretFilesOf(high, 'migrate')]).toEqual([['database-url', 'strongroom-owner/database-owner-url']]);
    // A server can neither forge seals nor send mail.
    expect([...secretFilesOf(high, 'serve').keys()].sort()).toEqual([
      'database-url',
      'openid-client-secret',
      'otlp-headers',
      'proxy-ca',
      'proxy-client-certificate-0',
      'redis-url',
      'root-key',
    ]);
    expect([...secretFilesOf(high, 'work').keys()].sort()).toEqual([
      'database-owner-url',
      'database-url',
      'otlp-headers',
      'root-key',
      'smtp-url',
    ]);
    expect([...secretFilesOf(rendered('defaults'), 'serve')]).toEqual([
      ['database-url', 'strongroom/database-url'],
      ['root-key', 'strongroom/root-key'],
    ]);
  });

  it('of an HSM come with its library, from an image of its own', () => {
    for (const role of ['serve', 'work'] as const) {
      const { spec } = podsOf(rendered('hsm'), role);
      expect(spec.initContainers?.map(({ image }) => image)).toEqual(['registry.example.com/hsm-client:10.7']);
      const mounts = spec.containers[0]?.volumeMounts?.map(({ mountPath, readOnly }) => [mountPath, readOnly]);
      expect(mounts).toEqual([
        ['/run/secrets/strongroom', true],
        ['/opt/hsm', true],
        ['/etc/hsm', true],
      ]);
      expect(environmentOf(rendered('hsm'), role)).not.toHaveProperty('STRONGROOM_ROOT_KEY_FILE');
    }
  });
});

describe('the network', () => {
  it('lets nobody in who is not named', () => {
    for (const { where, role, set } of everyPod()) {
      const { spec } = policyOf(set, role);
      expect(spec?.policyTypes, where).toEqual(['Ingress', 'Egress']);
      // A rule without peers would admit everybody.
      for (const rule of spec?.ingress ?? []) expect(rule.from?.length, where).toBeGreaterThan(0);
      for (const rule of spec?.ingress ?? []) expect(rule.ports?.length, where).toBeGreaterThan(0);
      for (const rule of spec?.egress ?? []) expect(rule.ports?.length, where).toBeGreaterThan(0);
    }
    const closed = { networkPolicy: { api: { from: [] } } };
    return expect(renderer.render(closed).then((set) => policyOf(set, 'serve').spec)).resolves.not.toHaveProperty(
      'ingress',
    );
  });

  it('opens the admin port to monitoring only', () => {
    for (const role of ['serve', 'work'] as const) {
      expect(JSON.stringify(policyOf(rendered('defaults'), role).spec?.ingress ?? [])).not.toContain('admin');
      const rules = policyOf(rendered('ha'), role).spec?.ingress?.filter(({ ports }) =>
        ports?.some(({ port }) => port === 'admin'),
      );
      const monitoring = { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'monitoring' } } };
      expect(rules).toEqual([{ from: [monitoring], ports: [{ protocol: 'TCP', port: 'admin' }] }]);
    }
  });

  it.each([
    // The proxy is meant for public addresses.
    { set: 'defaults', role: 'serve', ...publicSite, is: true },
    { set: 'defaults', role: 'serve', address: '2606:2800:21f:cb07::1', port: 443, is: true },
    { set: 'defaults', role: 'serve', address: '93.184.215.14', port: 80, is: false },
    { set: 'defaults', role: 'serve', address: '10.0.0.1', port: 443, is: false },
    { set: 'defaults', role: 'serve', address: 'fd00::1', port: 443, is: false },
    // The node's credentials are available at this address.
    { set: 'defaults', role: 'serve', address: '169.254.169.254', port: 80, is: false },
    { set: 'defaults', role: 'serve', address: '169.254.169.254', port: 443, is: false },
    { set: 'defaults', role: 'serve', address: '168.63.129.16', port: 443, is: false },
    { set: 'defaults', role: 'serve', address: '198.18.0.1', port: 443, is: false },
    { set: 'defaults', role: 'serve', address: '64:ff9b::a00:1', port: 443, is: false },
    { set: 'defaults', role: 'serve', address: 'fd00::1', port: 443, is: false },
    { set: 'defaults', role: 'serve', address: '2606:2800:220:1::1', port: 443, is: true },
    { set: 'defaults', role: 'serve', address: '10.0.0.1', port: 5432, is: true },
    { set: 'defaults', role: 'serve', address: '10.0.0.1', port: 6379, is: false },
    { set: 'defaults', role: 'work', ...publicSite, is: false },
    { set: 'defaults', role: 'work', address: '10.0.0.1', port: 25, is: false },
    { set: 'defaults', role: 'work', address: '10.0.0.1', port: 5432, is: true },
    { set: 'defaults', role: 'migrate', ...publicSite, is: false },
    { set: 'no-proxy', role: 'serve', ...publicSite, is: false },
    { set: 'no-proxy', role: 'work', ...publicSite, is: false },
    { set: 'no-proxy', role: 'serve', address: '10.2.0.9', port: 443, is: true },
    { set: 'no-proxy', role: 'work', address: '10.2.0.9', port: 443, is: true },
    { set: 'no-proxy', role: 'migrate', address: '10.2.0.9', port: 443, is: false },
    { set: 'no-proxy', role: 'work', address: '169.254.170.23', port: 80, is: true },
    { set: 'no-proxy', role: 'serve', address: '10.3.0.9', port: 5432, is: false },
    { set: 'google', role: 'work', ...publicSite, is: true },
    { set: 'google', role: 'work', address: '169.254.169.254', port: 80, is: true },
    { set: 'google', role: 'migrate', address: '169.254.169.254', port: 80, is: false },
    { set: 'hsm', role: 'serve', address: '10.9.0.5', port: 1792, is: true },
    { set: 'hsm', role: 'work', address: '10.9.0.5', port: 1792, is: true },
    { set: 'hsm', role: 'migrate', address: '10.9.0.5', port: 1792, is: false },
    { set: 'hsm', role: 'work', ...publicSite, is: false },
    { set: 'external-secrets', role: 'work', ...publicSite, is: false },
    { set: 'ha', role: 'serve', address: '10.20.1.1', port: 8443, is: true },
    { set: 'ha', role: 'serve', address: '10.21.1.1', port: 8443, is: false },
    { set: 'ha', role: 'serve', address: '10.1.0.9', port: 587, is: false },
    { set: 'ha', role: 'work', address: '10.1.0.9', port: 587, is: true },
    { set: 'ha', role: 'work', address: '10.20.1.1', port: 8443, is: false },
  ] as const)('$set: $role to $address:$port is $is', ({ set, role, address, port, is }) => {
    expect(reaches(rendered(set), role, { address, port })).toBe(is);
  });
});

describe('the alert rules of the chart', () => {
  it('are those of deploy/monitoring, in one PrometheusRule', async () => {
    const own = path.join(chart, 'files/rules');
    const monitoring = path.join(chart, '../monitoring/rules');
    expect(await readdir(own)).toEqual(await readdir(monitoring));
    for (const name of await readdir(own)) {
      expect(await readFile(path.join(own, name), 'utf8'), name).toBe(
        await readFile(path.join(monitoring, name), 'utf8'),
      );
    }
    const [rule] = ofKind<{ spec: { groups: { name: string }[] } }>(rendered('ha'), 'PrometheusRule');
    expect(rule?.spec.groups.length).toBeGreaterThanOrEqual((await readdir(own)).length);
    expect(rendered('defaults').manifests.map(({ apiVersion }) => apiVersion)).not.toContain(
      'monitoring.coreos.com/v1',
    );
  });
});

describe('the monitor of services', () => {
  it('gives servers and workers the names of jobs that the rules know them by', async () => {
    const [monitor] = ofKind<{ spec: { endpoints: { relabelings: { replacement: string }[] }[] } }>(
      rendered('ha'),
      'ServiceMonitor',
    );
    const [relabeling] = monitor?.spec.endpoints[0]?.relabelings ?? [];
    const services = ofKind<Service>(rendered('ha'), 'Service').filter(({ spec }) => spec?.clusterIP === 'None');
    const jobs = services.map(({ metadata }) =>
      relabeling?.replacement.replace('$1', metadata.labels?.['app.kubernetes.io/component'] ?? ''),
    );
    const configuration = await readFile(path.join(chart, '../monitoring/prometheus.yaml'), 'utf8');
    expect(jobs).toHaveLength(2);
    for (const job of jobs) expect(configuration).toContain(`job_name: ${job}\n`);
  });
});

describe('what helm prints', () => {
  it('names the command for the first tenant, and what is not closed yet', () => {
    expect(rendered('defaults').notes).toContain('deployment/vault-strongroom-work -- strongroom bootstrap');
    expect(rendered('defaults').notes).toContain('networkPolicy.postgresql.to');
    expect(rendered('ha').notes).not.toContain('networkPolicy.postgresql.to');
  });

  it('says which version of the vault the chart is for', async () => {
    const { version } = JSON.parse(await readFile(path.resolve(chart, '../../server/package.json'), 'utf8')) as {
      version: string;
    };
    expect(rendered('defaults').notes).toContain(`Strongroom ${version} `);
  });
});

function matches(selector: Record<string, string> | undefined, labels: Record<string, string> | undefined): boolean {
  return selector !== undefined && Object.entries(selector).every(([name, value]) => labels?.[name] === value);
}

function weightOf(hook: { readonly annotations: Record<string, string> } | undefined): number {
  return Number(hook?.annotations['helm.sh/hook-weight']);
}
