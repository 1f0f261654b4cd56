import { readDocumentationSite } from '../../http/pages/documentation-site.ts';
import type { DevelopmentLanding } from '../../http/pages/landing-page.ts';

/** Creates the landing page. `adminUrl` is called only after the server has started to listen. */
export async function createDevelopmentLanding(adminUrl: () => string): Promise<DevelopmentLanding> {
  return {
    links: () => [
      {
        href: `${adminUrl()}/readyz?verbose`,
        label: 'Readiness',
        about: 'What a load balancer asks, on the port for operators.',
      },
      { href: `${adminUrl()}/metrics`, label: 'Metrics', about: 'What Prometheus collects.' },
    ],
    site: await readDocumentationSite(),
  };
}
