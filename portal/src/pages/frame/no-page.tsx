import { Link } from '@tanstack/react-router';
import { MapPinOff } from 'lucide-react';
import { buttonClass } from '../../parts/controls/button';
import { Empty } from '../../parts/page/states';
import { Page } from '../../parts/page/page';

export function NoPage() {
  return (
    <Page title="There is no such page">
      <Empty
        icon={MapPinOff}
        title="Nothing is at this address"
        actions={
          <Link to="/" className={buttonClass()}>
            Go to the overview
          </Link>
        }
      >
        <p>The address may be misspelled, or the page may have moved.</p>
      </Empty>
    </Page>
  );
}
