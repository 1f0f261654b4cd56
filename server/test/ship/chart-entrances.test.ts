import type { Service } from 'kubernetes-types/core/v1.js';
import type { Ingress } from 'kubernetes-types/networking/v1.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { reaches } from './network-reach.ts';
import { ChartRenderer, ofKind, podsOf, type Rendered, type Role } from './rendered-chart.ts';

/* Checks how requests get to the pods that the chart renders, what workers may call, and when pods are restarted. */

interface HttpRoute {
  readonly spec: {
    readonly parentRefs: readonly object[];
    readonly hostnames: readonly string[];
    readonly rules: readonly { readonly backendRefs: readonly { readonly name: string; readonly port: number }[] }[];
  };
}

let renderer: ChartRenderer;
let gateway: Rendered;
beforeAll(async () => {
  renderer = await ChartRenderer.build();
  gateway = await renderer.renderSet('gateway');
});
afterAll(() => renderer[Symbol.asyncDispose]());

describe('a Gateway', () => {
  it('sends each host to a port that the Service has', () => {
    const routes = ofKind<HttpRoute>(gateway, 'HTTPRoute');
    expect(routes.map(({ spec }) => spec.hostnames)).toEqual([['vault.example.com'], ['elements.example.com']]);
    const services = ofKind<Service>(gateway, 'Service');
    for (const { spec } of routes) {
      expect(spec.parentRefs).toEqual([{ name: 'public', namespace: 'gateways', sectionName: 'https' }]);
      for (const { name, port } of spec.rules.flatMap(({ backendRefs }) => backendRefs)) {
        const service = services.find(({ metadata }) => metadata.name === name);
        expect(service?.spec?.ports?.map((it) => it.port)).toContain(port);
      }
    }
  });

  it('needs the public address', async () => {
    const values = { gateway: { enabled: true, parentRefs: [{ name: 'public' }] } };
    await expect(renderer.render(values)).rejects.toThrow('needs publicUrl');
  });

  it('is not there by default', async () => {
    expect(ofKind(await renderer.render(), 'HTTPRoute')).toEqual([]);
  });
});

describe('an Ingress', () => {
  it.each([
    ['ingress-nginx', 'nginx.ingress.kubernetes.io/proxy-body-size'],
    ['nginx-ingress', 'nginx.org/client-max-body-size'],
  ])('of %s allows the bodies that the vault accepts', async (controller, annotation) => {
    expect(await annotationsWith({ controller })).toEqual({ [annotation]: '5m' });
  });

  it('keeps the annotations that the operator sets, which win', async () => {
    const annotations = { 'nginx.ingress.kubernetes.io/proxy-body-size': '9m', other: 'kept' };
    expect(await annotationsWith({ controller: 'ingress-nginx', annotations })).toEqual(annotations);
  });

  async function annotationsWith(ingress: object): Promise<unknown> {
    const publicUrl = 'https://vault.example.com';
    const rendered = await renderer.render({ publicUrl, ingress: { enabled: true, ...ingress } });
    return ofKind<Ingress>(rendered, 'Ingress')[0]?.metadata.annotations;
  }
});

describe('the network of workers', () => {
  it.each([
    { to: 'a public webhook', address: '93.184.215.14', port: 443, is: true },
    { to: 'a private webhook', address: '10.20.0.7', port: 443, is: true },
    { to: 'another private address', address: '10.21.0.7', port: 443, is: false },
    { to: 'the metadata of the node', address: '169.254.169.254', port: 443, is: false },
    { to: 'the receiver of the log', address: '10.4.0.3', port: 6514, is: true },
    { to: 'another receiver', address: '10.4.1.3', port: 6514, is: false },
    { to: 'NodeLocal DNSCache', address: '169.254.20.10', port: 53, is: true },
    { to: 'a public DNS server', address: '9.9.9.9', port: 53, is: false },
  ])('reaches $to: $is', ({ address, port, is }) => {
    expect(reaches(gateway, 'work', { address, port })).toBe(is);
  });

  it('does not deliver webhooks by default, and Helm says so', async () => {
    const defaults = await renderer.render();
    expect(reaches(defaults, 'work', { address: '93.184.215.14', port: 443 })).toBe(false);
    expect(defaults.notes).toContain('Webhooks are not delivered');
    expect(gateway.notes).not.toContain('Webhooks are not delivered');
  });
});

describe('a changed Secret', () => {
  const annotation = 'strongroom/secret-versions';
  const found = (resourceVersion: string) => ({ 'Secret/strongroom': { metadata: { resourceVersion } } });

  it('restarts servers and workers with the next upgrade', async () => {
    const [first, same, second] = await Promise.all(['1', '1', '2'].map((it) => renderer.render({}, found(it))));
    for (const role of ['serve', 'work'] as const) {
      expect(versionOf(first, role)).toMatch(/^[0-9a-f]{64}$/);
      expect(versionOf(same, role)).toBe(versionOf(first, role));
      expect(versionOf(second, role)).not.toBe(versionOf(first, role));
    }
  });

  it('restarts only pods that mount it', async () => {
    const values = { database: { ownerUrl: { existingSecret: 'owner' } } };
    const objects = (resourceVersion: string) => ({ 'Secret/owner': { metadata: { resourceVersion } } });
    const [first, second] = await Promise.all(['1', '2'].map((it) => renderer.render(values, objects(it))));
    expect(versionOf(first, 'work')).not.toBe(versionOf(second, 'work'));
    expect(versionOf(first, 'serve')).toBe(versionOf(second, 'serve'));
  });

  it('restarts nothing without a cluster, or if that is turned off', async () => {
    expect(versionOf(await renderer.render(), 'serve')).toBeUndefined();
    expect(versionOf(await renderer.render({ restartOnSecretChange: false }, found('1')), 'serve')).toBeUndefined();
  });

  function versionOf(rendered: Rendered | undefined, role: Role): string | undefined {
    return rendered && podsOf(rendered, role).metadata?.annotations?.[annotation];
  }
});
