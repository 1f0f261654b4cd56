import {
  type Dashboard,
  DashboardBuilder,
  DashboardCursorSync,
  DatasourceVariableBuilder,
  QueryVariableBuilder,
  RowBuilder,
  VariableRefresh,
  VariableSort,
} from '@grafana/grafana-foundation-sdk/dashboard';
import { source } from './panels.ts';
import { dependencyRows } from './dependency-rows.ts';
import { requestRows } from './request-rows.ts';
import { vaultRows } from './vault-rows.ts';

/** Creates the operator's dashboard. Its rows go from client requests down to the dependencies of the vault. */
export function createDashboard(): Dashboard {
  const dashboard = new DashboardBuilder('Strongroom')
    .uid('strongroom')
    .description(
      'A Strongroom vault: requests, audit log, jobs, keys, and what it depends on. The panels use the recording rules in deploy/monitoring.',
    )
    .tags(['strongroom'])
    .timezone('browser')
    .time({ from: 'now-3h', to: 'now' })
    .refresh('30s')
    .tooltip(DashboardCursorSync.Crosshair)
    .withVariable(new DatasourceVariableBuilder('source').label('Prometheus').type('prometheus'))
    .withVariable(labelVariable('job', 'Job', 'label_values(up{job=~"strongroom-(serve|work)"}, job)'))
    .withVariable(labelVariable('instance', 'Instance', 'label_values(up{job=~"$job"}, instance)'));
  for (const { title, panels } of [...requestRows, ...vaultRows, ...dependencyRows]) {
    dashboard.withRow(new RowBuilder(title));
    for (const panel of panels) dashboard.withPanel(panel);
  }
  return withIds(dashboard.build());
}

/** Numbers the panels. Links to a panel use its number, so it must not change with every import. */
function withIds(dashboard: Dashboard): Dashboard {
  const panels = (dashboard.panels ?? []).map((panel, index) => ({ ...panel, id: index + 1 }));
  return { ...dashboard, panels };
}

/** Creates a variable that selects all values by default. */
function labelVariable(name: string, label: string, query: string): QueryVariableBuilder {
  return new QueryVariableBuilder(name)
    .label(label)
    .datasource(source)
    .query(query)
    .refresh(VariableRefresh.OnTimeRangeChanged)
    .sort(VariableSort.AlphabeticalAsc)
    .multi(true)
    .includeAll(true)
    .allValue('.+')
    .current({ text: 'All', value: '$__all' });
}
