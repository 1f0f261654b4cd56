export { builtElements, readElementsFiles } from './elements-files.ts';
export { addElementsRoutes } from './elements-routes.ts';
export { frameHeaders } from './frame-headers.ts';
