import { Tag } from '../../parts/show/tag';
import { type StoredSettings, type TenantSetting, valueOf } from './tenant-setting';

/** Lets the user choose the value of a setting. Each value says what it means, and what it weakens. */
export function SettingField(field: {
  readonly setting: TenantSetting;
  readonly settings: StoredSettings;
  readonly isFixed: boolean;
  readonly onChange: (settings: StoredSettings) => void;
}) {
  const { setting, settings, isFixed, onChange } = field;
  const chosen = valueOf(setting, settings);
  return (
    <fieldset className="stack" disabled={isFixed}>
      <legend>{setting.title}</legend>
      {setting.values.map(({ value, label, note, weakens }) => (
        <label key={value} className="choice">
          <input
            type="radio"
            name={setting.name}
            checked={chosen === value}
            onChange={() => onChange({ ...settings, [setting.name]: value })}
          />
          <span>
            <b>{label}</b> {weakens === undefined ? null : <Tag tone="plain">weaker</Tag>}
            <span className="note">
              {note} {weakens}
            </span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}
