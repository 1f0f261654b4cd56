/** A call that the controller rejects. The message goes to the page. */
export class RefusedCall extends Error {}
