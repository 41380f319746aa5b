// Starts the app in the page.
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.js';
import { BrokenBoundary } from './components/broken-boundary.js';
import { openByCode } from './data/open-by-code.js';
import { applyTheme, readTheme } from './data/theme.js';
import './styles/tokens.css';
import './styles/base.css';
import './styles/layout.css';
import './styles/components.css';
import './styles/execution.css';

applyTheme(readTheme());
await openByCode();
const root = document.getElementById('app');
if (root !== null) {
  createRoot(root, { onCaughtError: BrokenBoundary.report }).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}
