import type { ErrorComponentProps } from '@tanstack/react-router';
import { Page } from '../../parts/page';
import { Failure } from '../../parts/states';

/** In place of a page that has a mistake, or could not be loaded: the vault may have been updated since. */
export function BrokenPage({ error }: ErrorComponentProps) {
  return (
    <Page title="This page does not work" lead="Load it again. If that does not help, tell the operator of the vault.">
      <Failure error={error instanceof Error ? error : new Error(String(error))} retry={() => location.reload()} />
    </Page>
  );
}
