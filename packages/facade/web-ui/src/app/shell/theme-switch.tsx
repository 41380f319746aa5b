// Light, dark, or as the system has it.
import { useState } from 'react';
import { keepTheme, readTheme, type Theme } from '../data/theme.js';

const themes: readonly (readonly [Theme, string])[] = [
  ['system', 'As the system'],
  ['light', 'Light'],
  ['dark', 'Dark'],
];

export function ThemeSwitch() {
  const [theme, setTheme] = useState(readTheme);
  const choose = (next: Theme) => {
    keepTheme(next);
    setTheme(next);
  };
  return (
    <label className="theme-switch">
      <span>Theme</span>
      <select value={theme} onChange={(event) => choose(event.target.value as Theme)}>
        {themes.map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
    </label>
  );
}
