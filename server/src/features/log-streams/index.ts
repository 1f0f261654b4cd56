export { checkStream, type StreamVerdict } from './check/check-stream.ts';
export { streamLogJob, wakeLogStreams } from './deliver/stream-log-job.ts';
export { addStreamGauges, StreamMetrics } from './deliver/stream-metrics.ts';
export type { StreamPace } from './deliver/stream-run.ts';
export { readStreamStatus, type StreamStatus } from './deliver/stream-status.ts';
