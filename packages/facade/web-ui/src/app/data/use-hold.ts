// Whether the pointer or the focus is in a list, which then keeps its places so that nothing moves away under a click.
import { type FocusEvent, type RefObject, useRef } from 'react';

export interface HoldProps<E extends HTMLElement> {
  readonly ref: RefObject<E | null>;
  onPointerEnter(): void;
  onPointerLeave(): void;
  onFocus(event: FocusEvent): void;
  onBlur(): void;
}

/** Properties for the element of the list. A list that the pointer leaves is released, also with the focus in it. */
export function useHold<E extends HTMLElement>(hold: () => void, release: () => void): HoldProps<E> {
  const ref = useRef<E>(null);
  const releaseOutside = () => {
    const list = ref.current;
    const isInside = list?.contains(document.activeElement) === true || list?.matches(':hover') === true;
    if (!isInside) release();
  };
  return {
    ref,
    onPointerEnter: hold,
    onPointerLeave: release,
    onFocus: hold,
    onBlur: () => queueMicrotask(releaseOutside),
  };
}
