import { useMember } from '../../api/me';
import { Page } from '../../parts/page/page';
import { NoPage } from '../frame/no-page';
import { KitCharts } from './kit-charts';
import { KitControls } from './kit-controls';
import { KitData } from './kit-data';
import { KitFoundations } from './kit-foundations';
import { KitStates } from './kit-states';

/**
 * Shows every part that pages are composed of, for contributors. It needs no data of the vault, so that pictures of it
 * are always the same.
 */
export function KitPage() {
  const { is_development: isDevelopment } = useMember();
  if (!isDevelopment) return <NoPage />;
  return (
    <Page title="Kit" lead="Every part that pages are composed of. Only a vault for development shows this page.">
      <KitFoundations />
      <KitControls />
      <KitData />
      <KitCharts />
      <KitStates />
    </Page>
  );
}
