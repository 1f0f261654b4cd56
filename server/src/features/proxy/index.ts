export { abandonedCallsJob } from './abandoned-calls-job.ts';
export { CallSlots } from './call-slots.ts';
export { ProxyCallStore } from './proxy-call-store.ts';
export { addPreviewRoutes } from './preview/preview-routes.ts';
export { addProxyRoutes } from './proxy-routes.ts';
export { ProxyService } from './proxy-service.ts';
