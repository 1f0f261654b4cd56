import { GraphDrawStyle, type DataSourceRef, VizLegendOptionsBuilder } from '@grafana/grafana-foundation-sdk/common';
import type { Builder } from '@grafana/grafana-foundation-sdk/cog';
import type { Panel } from '@grafana/grafana-foundation-sdk/dashboard';
import { DataqueryBuilder } from '@grafana/grafana-foundation-sdk/prometheus';
import { PanelBuilder as StatBuilder } from '@grafana/grafana-foundation-sdk/stat';
import { PanelBuilder as TimeSeriesBuilder } from '@grafana/grafana-foundation-sdk/timeseries';

/** The Prometheus that the user has chosen. A dashboard that names a fixed one would not work elsewhere. */
export const source: DataSourceRef = { type: 'prometheus', uid: '${source}' };

/** Units that Grafana knows. */
type Unit = 'short' | 's' | 'd' | 'reqps' | 'ops' | 'percentunit' | 'bytes' | 'none';

interface Shown {
  readonly title: string;
  /** Describes what the panel shows, and which values are normal. */
  readonly description: string;
  readonly unit: Unit;
}

/** A query, and the legend of each of its lines. */
export type Line = readonly [query: string, legend: string];

/** Creates a graph that takes a third of the width. */
export function graph({ title, description, unit }: Shown, ...lines: readonly Line[]): Builder<Panel> {
  const panel = new TimeSeriesBuilder()
    .title(title)
    .description(description)
    .datasource(source)
    .unit(unit)
    .min(0)
    .drawStyle(GraphDrawStyle.Line)
    .fillOpacity(8)
    .legend(new VizLegendOptionsBuilder().showLegend(true))
    .span(8)
    .height(7);
  for (const [index, [query, legend]] of lines.entries()) {
    panel.withTarget(new DataqueryBuilder().refId(refIdOf(index)).expr(query).legendFormat(legend).range());
  }
  return panel;
}

/** Shows the current value as one number. */
export function number({ title, description, unit }: Shown, query: string): Builder<Panel> {
  return new StatBuilder()
    .title(title)
    .description(description)
    .datasource(source)
    .unit(unit)
    .span(4)
    .height(4)
    .withTarget(new DataqueryBuilder().refId('A').expr(query).instant());
}

function refIdOf(index: number): string {
  return String.fromCharCode('A'.charCodeAt(0) + index);
}
