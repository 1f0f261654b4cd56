import { Page } from '../../parts/page';

export function ApplicationsPage() {
  return <Page title="Applications">{null}</Page>;
}
