import { Link } from '@tanstack/react-router';
import { Page } from '../../parts/page';

export function NoPage() {
  return (
    <Page title="There is no such page" lead="The address may be misspelled, or the page may have moved.">
      <Link to="/">Go to the overview</Link>
    </Page>
  );
}
