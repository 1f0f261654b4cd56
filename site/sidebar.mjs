import { readdirSync } from 'node:fs';
import { toId } from './page.mjs';
import { docs } from './places.mjs';

/** Pages below docs/, without `.md`. `folder/*` is every page of a folder, in the order of its files. */
const sections = {
  Start: ['start/what-it-is', 'start/quickstart', 'start/first-card', 'start/first-proxy-call', 'start/first-rule'],
  Concepts: [
    'concepts/tokens',
    'concepts/containers-and-rules',
    'concepts/transforms',
    'concepts/expressions',
    'concepts/fingerprints',
    'concepts/sessions',
    'concepts/client-keys',
    'concepts/token-intents',
    'concepts/audit-log',
    'concepts/keys',
  ],
  'Guides: collect and use': [
    'guides/collect-a-card',
    'guides/show-a-card',
    'guides/charge-a-card',
    'guides/stored-proxies',
    'guides/receive-cards',
    'guides/own-code',
    'guides/mutual-tls',
    'guides/use-but-not-read',
    'guides/send-again',
    'guides/webhooks',
    'guides/multi-tenant',
    'elements',
  ],
  'Guides: your language': [
    'guides/languages/curl',
    'guides/languages/typescript',
    'guides/languages/python',
    'guides/languages/go',
    'guides/point-your-client',
  ],
  'Guides: move in': ['guides/migrate-from-basis-theory', 'guides/migrate-from-a-table', 'guides/move-data'],
  'Guides: access and audit': [
    'portal',
    'guides/invite-a-member',
    'operate/give-an-auditor-access',
    'operate/before-the-assessor-comes',
    'operate/retention-and-erasure',
    'guides/cap-a-management-key',
    'guides/approve-plaintext',
    'guides/verify-the-audit-log',
    'guides/answer-an-incident',
    'pci-scope',
  ],
  'Operate: set up': [
    'operations',
    'operate/install',
    'operate/managed-postgresql',
    'deploy/release',
    'deploy/container',
    'deploy/kubernetes',
    'deploy/systemd',
    'deploy/recipes',
    'guides/reverse-proxy',
    'operate/root-keys',
    'operate/tenant-root-keys',
    'operate/root-key-in-a-file',
    'operate/root-key-in-an-hsm',
    'operate/root-key-in-aws-kms',
    'operate/root-key-in-google-cloud-kms',
    'operate/root-key-in-azure-key-vault',
    'operate/root-key-in-vault-or-openbao',
    'operate/key-ceremony',
    'operate/tenants',
    'operate/members',
    'operate/proxy',
    'operate/sizing',
    'operate/high-availability',
    'deploy/patroni',
    'deploy/cells',
  ],
  'Operate: run': [
    'operate/run',
    'operate/backup',
    'upgrading',
    'guides/rotate-keys',
    'operate/audit-log',
    'operate/log-streams',
    'operate/moving-data',
    'operate/limits',
    'operate/disaster',
    'operate/troubleshooting',
    'monitoring',
    'traces',
  ],
  Runbooks: ['runbooks/*'],
  Security: [
    'security/threat-model',
    'security/cryptography',
    'security/verification-codes',
    'security/what-was-attacked',
  ],
  Reference: ['reference/*', 'metrics', 'compatibility', 'performance', 'releasing'],
  Contributing: ['contributing/*'],
  'Why so': ['adr/*'],
};

/** Long lists stay closed until somebody opens them. */
const closed = new Set(['Runbooks', 'Why so']);

export const sidebar = Object.entries(sections).map(([label, pages]) => ({
  label,
  collapsed: closed.has(label),
  items: pages.flatMap((page) => (page.endsWith('/*') ? listFolder(page.slice(0, -2)) : [page])),
}));

/** The page of the folder itself comes first. */
function listFolder(folder) {
  const files = readdirSync(new URL(`${folder}/`, docs)).filter((file) => file.endsWith('.md'));
  const ids = files.sort().map((file) => toId(`${folder}/${file}`));
  return [...ids.filter((id) => id.endsWith('/index')), ...ids.filter((id) => !id.endsWith('/index'))];
}
