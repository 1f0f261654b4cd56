import type { ProxyCall, ServiceCall, ServiceName } from '../../protocol/messages.ts';
import { isRecord, readFlag, readText, readTexts } from '../../protocol/parse.ts';

const services: readonly ServiceName[] = [
  'tokens.create',
  'tokens.update',
  'tokens.retrieve',
  'tokens.encrypt',
  'tokenIntents.create',
  'tokenize',
  'sessions.create',
  'proxy.get',
  'proxy.post',
  'proxy.put',
  'proxy.patch',
  'proxy.delete',
];

/** Parses a call from a page. Returns undefined for calls that this project's client would not send. */
export function readCall(value: unknown): ServiceCall | undefined {
  if (!isRecord(value)) return undefined;
  const service = services.find((name) => name === value['service']);
  if (service === undefined) return undefined;
  const text = (name: string, lengthMax: number) => {
    const read = readText(value[name], lengthMax);
    return read === undefined ? {} : { [name]: read };
  };
  return {
    service,
    payload: value['payload'],
    ...text('id', 2_000),
    ...text('apiKey', 200),
    ...text('idempotencyKey', 500),
    ...text('correlationId', 500),
    ...(service.startsWith('proxy.') ? { proxy: readProxy(value['proxy']) } : {}),
  };
}

function readProxy(value: unknown): ProxyCall {
  if (!isRecord(value)) return {};
  const path = readText(value['path'], 8_000);
  const query = readTexts(value['query'], 8_000);
  const headers = readTexts(value['headers'], 8_000);
  return {
    ...(path === undefined ? {} : { path }),
    ...(query === undefined ? {} : { query }),
    ...(headers === undefined ? {} : { headers }),
    includeResponseHeaders: readFlag(value['includeResponseHeaders']) ?? false,
  };
}
