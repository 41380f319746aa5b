// Opens the palette by a button or Ctrl-K. Its code is loaded when it is first opened.
import { lazy, Suspense, useEffect, useState } from 'react';
import { Button } from '../components/button.js';

const Palette = lazy(async () => ({ default: (await import('./palette.js')).Palette }));

export function PaletteOpener() {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey) return;
      event.preventDefault();
      if (document.querySelector('dialog[open]') === null) setOpen(true);
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
  return (
    <>
      <Button className="palette-opener" onClick={() => setOpen(true)}>
        Search or jump <kbd>Ctrl K</kbd>
      </Button>
      {isOpen ? (
        <Suspense fallback={null}>
          <Palette onClose={() => setOpen(false)} />
        </Suspense>
      ) : null}
    </>
  );
}
