import type { Logger } from '../telemetry/logger.ts';
import type { TraceConfig } from './trace-config.ts';
import { noTracer, type Tracer } from '../telemetry/tracer.ts';

/** Opens a tracer. The recording code is loaded only if there is a collector. */
export async function openTracer(
  config: TraceConfig | undefined,
  { role, logger }: { readonly role: 'serve' | 'work'; readonly logger: Logger },
): Promise<Tracer> {
  if (config === undefined) return noTracer;
  const [{ RecordingTracer }, { SpanExporter }, { TraceSampler }] = await Promise.all([
    import('./recording-tracer.ts'),
    import('./span-exporter.ts'),
    import('./trace-sampler.ts'),
  ]);
  const resource = {
    'service.name': config.serviceName,
    'service.instance.id': crypto.randomUUID(),
    'strongroom.role': role,
    ...config.resource,
  };
  logger.info('tracing', { url: new URL(config.url).origin });
  const exporter = new SpanExporter({ ...config, resource }, { logger });
  return new RecordingTracer({ sampler: new TraceSampler(config), exporter });
}
