export { addExposureRoutes } from './exposure-routes.ts';
export { toExposureView, toViewersView } from './exposure-schemas.ts';
export { ExposureService, type ReportedPeriod, toSubjectFilter, toTokenFilter } from './exposure-service.ts';
export type { SubjectExposure } from './subject-exposure.ts';
export type { TokenViewers } from './token-viewers.ts';
