const storageKey = 'strongroom.theme';

export const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

export function currentTheme(): Theme {
  return themes.find((theme) => theme === localStorage.getItem(storageKey)) ?? 'system';
}

/** Applies a theme. The style sheet has both colour schemes and follows the system unless `data-theme` selects one. */
export function applyTheme(theme: Theme): void {
  localStorage.setItem(storageKey, theme);
  document.documentElement.dataset['theme'] = theme;
}
