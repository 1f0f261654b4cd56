import { Page } from '../../parts/page';

export function TokenPage() {
  return <Page title="Token">{null}</Page>;
}
