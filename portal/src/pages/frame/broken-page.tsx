import type { ErrorComponentProps } from '@tanstack/react-router';
import { Page } from '../../parts/page/page';
import { Failure } from '../../parts/page/states';

/**
 * Replaces a page that failed or could not be loaded, for example because the vault was updated after the portal was
 * opened.
 */
export function BrokenPage({ error }: ErrorComponentProps) {
  return (
    <Page title="This page does not work" lead="Load it again. If that does not help, tell the operator of the vault.">
      <Failure error={error instanceof Error ? error : new Error(String(error))} retry={() => location.reload()} />
    </Page>
  );
}
