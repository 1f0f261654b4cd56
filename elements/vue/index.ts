export type { ElementProps } from './element-props.ts';
export * from './elements.ts';
export { type StrongroomState, useStrongroom } from './use-strongroom.ts';
