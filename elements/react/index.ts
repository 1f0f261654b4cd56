export * from './elements.tsx';
export { StrongroomProvider, type StrongroomState, useStrongroom } from './strongroom-context.tsx';
