// While a mouse moves over the line, and for a second afterwards, the rows of the line stay in place, so that no row
// moves under the pointer.
import { useEffect, useRef, useState, type RefObject } from 'react';

const restMs = 1_000;

/** Whether a mouse has just been moved over the element. */
function useIsPointedAt(element: RefObject<HTMLElement | null>): boolean {
  const [isPointedAt, setPointedAt] = useState(false);
  useEffect(() => {
    const target = element.current;
    if (!target) return undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const leave = (): void => {
      clearTimeout(timer);
      setPointedAt(false);
    };
    const move = ({ pointerType, movementX, movementY }: PointerEvent): void => {
      // A browser also reports a move of the mouse when the page scrolls under the pointer.
      if (pointerType === 'touch' || (movementX === 0 && movementY === 0)) return;
      clearTimeout(timer);
      timer = setTimeout(leave, restMs);
      setPointedAt(true);
    };
    target.addEventListener('pointermove', move);
    target.addEventListener('pointerleave', leave);
    return () => {
      clearTimeout(timer);
      target.removeEventListener('pointermove', move);
      target.removeEventListener('pointerleave', leave);
    };
  }, [element]);
  return isPointedAt;
}

/**
 * Returns `rows`. While the mouse moves over the element, returns the rows that were shown before. Rows of another
 * window are returned at once.
 */
export function useStableRows<Rows>(rows: Rows, window: unknown, element: RefObject<HTMLElement | null>): Rows {
  const isPointedAt = useIsPointedAt(element);
  const shown = useRef({ rows, window });
  if (!isPointedAt || shown.current.window !== window) shown.current = { rows, window };
  return shown.current.rows;
}
