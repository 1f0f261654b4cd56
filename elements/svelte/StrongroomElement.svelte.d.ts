import type { Component } from 'svelte';
import type { ElementProps } from 'strongroom-elements/svelte';

declare const StrongroomElement: Component<ElementProps, Record<string, never>, 'element'>;
// oxlint-disable-next-line import/no-default-export -- A component of Svelte is the default export of its file.
export default StrongroomElement;
