// Announces the result of an action once, also to users of screen readers.
import { createContext, type ReactNode, useCallback, useContext, useEffect, useState } from 'react';
import { toVisible } from '../lib/visible.js';
import { Button } from './button.js';

interface Toast {
  readonly key: number;
  readonly text: string;
}

const ToastContext = createContext<(text: string) => void>(() => {});
const shownMs = 6000;

export function ToastProvider({ children }: { readonly children: ReactNode }) {
  const [toast, setToast] = useState<Toast | undefined>(undefined);
  const say = useCallback((text: string) => setToast((before) => ({ key: (before?.key ?? 0) + 1, text })), []);
  useEffect(() => {
    if (toast === undefined) return;
    const timer = setTimeout(() => setToast(undefined), shownMs);
    return () => clearTimeout(timer);
  }, [toast]);
  return (
    <ToastContext value={say}>
      {children}
      <div className="toasts" role="status">
        {toast === undefined ? null : (
          <div className="toast" key={toast.key}>
            <span>{toVisible(toast.text)}</span>
            <Button variant="quiet" onClick={() => setToast(undefined)} aria-label="Dismiss">
              <span aria-hidden="true">×</span>
            </Button>
          </div>
        )}
      </div>
    </ToastContext>
  );
}

/** Says a sentence. */
export function useToast(): (text: string) => void {
  return useContext(ToastContext);
}
