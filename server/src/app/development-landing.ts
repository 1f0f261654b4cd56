import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { DevelopmentLanding, LandingGuide } from '../http/landing-page.ts';

/** The guides of the repository. The published package does not have them. */
const guideDirectory = path.resolve(import.meta.dirname, '../../../docs/guides');
const guidePath = '/docs/guides';

/** `adminUrl` is asked for once the server listens. */
export async function createDevelopmentLanding(adminUrl: () => string): Promise<DevelopmentLanding> {
  const guides = await readGuides();
  return {
    links: () => [
      {
        href: `${adminUrl()}/readyz?verbose`,
        label: 'Readiness',
        about: 'What a load balancer asks, on the port for operators.',
      },
      { href: `${adminUrl()}/metrics`, label: 'Metrics', about: 'What Prometheus collects.' },
    ],
    guides,
  };
}

async function readGuides(): Promise<LandingGuide[]> {
  const files = (await readdir(guideDirectory).catch(() => [])).filter((file) => /^[a-z-]+\.md$/.test(file)).sort();
  return Promise.all(
    files.map(async (file) => {
      const text = await readFile(path.join(guideDirectory, file), 'utf8');
      return { path: `${guidePath}/${file}`, title: /^# (.+)$/m.exec(text)?.[1] ?? file, text };
    }),
  );
}
