const storageKey = 'strongroom.tenant';

/**
 * Returns the tenant that requests are for. Each tab has its own tenant. If tabs shared one, switching tenants in one
 * tab would send changes made in other tabs to the wrong tenant. A new tab starts with the tenant that was chosen last.
 */
export function chosenTenant(): string | undefined {
  return sessionStorage.getItem(storageKey) ?? localStorage.getItem(storageKey) ?? undefined;
}

export function chooseTenant(id: string): void {
  sessionStorage.setItem(storageKey, id);
  localStorage.setItem(storageKey, id);
}
