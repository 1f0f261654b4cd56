import { Page } from '../../parts/page';

export function AuditPage() {
  return <Page title="Audit log">{null}</Page>;
}
