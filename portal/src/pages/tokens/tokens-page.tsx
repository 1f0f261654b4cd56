import { Page } from '../../parts/page';

export function TokensPage() {
  return <Page title="Tokens">{null}</Page>;
}
