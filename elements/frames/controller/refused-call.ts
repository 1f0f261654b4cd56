/** A call that the controller does not make. The message goes to the page. */
export class RefusedCall extends Error {}
