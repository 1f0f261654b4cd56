import type { ApplicationType } from '../../api/applications';

export const typeNames: Readonly<Record<ApplicationType, string>> = {
  private: 'Private',
  public: 'Public',
  management: 'Management',
};

export const typeDescriptions: Readonly<Record<ApplicationType, string>> = {
  private: 'For servers. Works with tokens; its key is secret.',
  public: 'For web pages and apps. Stores values and cannot read them; anyone may see its key.',
  management: 'For administration. Manages applications, members and the tenant, and has no access to tokens itself.',
};
