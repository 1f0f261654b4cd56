import { Page } from '../../parts/page';

export function SimulatorPage() {
  return <Page title="Simulator">{null}</Page>;
}
