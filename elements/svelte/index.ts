export { copyProps, type ElementProps, placeElement } from './place-element.ts';
export { findStrongroom, type StrongroomState, useStrongroom } from './use-strongroom.ts';
