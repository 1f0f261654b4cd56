import { Page } from '../../parts/page';

export function MembersPage() {
  return <Page title="Members">{null}</Page>;
}
