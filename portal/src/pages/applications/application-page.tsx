import { Page } from '../../parts/page';

export function ApplicationPage() {
  return <Page title="Application">{null}</Page>;
}
