/**
 * Returns a route in the form that documentation uses. `/tokens/:id` is `/tokens/{id}`, and `/proxy/*` is
 * `/proxy/{path}`.
 */
export function toTemplate(route: string): string {
  return route.replaceAll(/:([a-zA-Z]+)/g, '{$1}').replace('*', '{path}');
}
