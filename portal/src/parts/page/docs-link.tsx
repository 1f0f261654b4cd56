import { BookOpen } from 'lucide-react';
import { useDocumentation } from '../../api/me';
import { Icon } from '../icon';

/** The pages of the documentation that pages of the portal refer to, with what they are about. */
export const docsPages = {
  'concepts/tokens': 'Tokens',
  'concepts/containers-and-rules': 'Containers, permissions and rules',
  'concepts/sessions': 'Sessions',
  'operate/audit-log': 'The audit log and its proof',
  'operate/root-keys': 'Encryption keys',
  'guides/approve-plaintext': 'Approvals',
  'guides/collect-a-card': 'Collect a card',
  'guides/stored-proxies': 'Stored proxies',
  'guides/webhooks': 'Receive events',
  'operate/retention-and-erasure': 'Retention and erasure',
  'operate/tenants': 'Tenants and their settings',
  'runbooks/job-dead': 'Jobs that failed for good',
  portal: 'The portal',
} as const;
export type DocsPage = keyof typeof docsPages;

/** Links to a page of the documentation, if this vault knows where it is. */
export function DocsLink({ to }: { readonly to: DocsPage }) {
  const base = useDocumentation();
  if (base === undefined) return null;
  return (
    <a href={`${base}${to}/`}>
      <Icon of={BookOpen} isSmall />
      Read about it: {docsPages[to]}
    </a>
  );
}
