import { GraphDrawStyle, type DataSourceRef, VizLegendOptionsBuilder } from '@grafana/grafana-foundation-sdk/common';
import type { Builder } from '@grafana/grafana-foundation-sdk/cog';
import type { Panel } from '@grafana/grafana-foundation-sdk/dashboard';
import { DataqueryBuilder } from '@grafana/grafana-foundation-sdk/prometheus';
import { PanelBuilder as StatBuilder } from '@grafana/grafana-foundation-sdk/stat';
import { PanelBuilder as TimeSeriesBuilder } from '@grafana/grafana-foundation-sdk/timeseries';

/** Whatever Prometheus the reader has chosen: a dashboard that names one works nowhere else. */
export const source: DataSourceRef = { type: 'prometheus', uid: '${source}' };

/** Units of Grafana. */
type Unit = 'short' | 's' | 'd' | 'reqps' | 'ops' | 'percentunit' | 'bytes' | 'none';

interface Shown {
  readonly title: string;
  /** What it tells, and what is normal. */
  readonly description: string;
  readonly unit: Unit;
}

/** A query, and the name of each of its lines. */
export type Line = readonly [query: string, legend: string];

/** A third of the width. */
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

/** One number, as of now. */
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
