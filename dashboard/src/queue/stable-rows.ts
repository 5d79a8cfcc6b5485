// Keeps the rows of the line in place while a mouse moves over them, and for a moment after, so that nothing moves
// under the pointer.
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
      // A browser also reports a move of the mouse when the page moves below it.
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
 * Returns `rows`, or the rows shown before while the mouse moves over them. Rows of another window are shown at once.
 */
export function useStableRows<Rows>(rows: Rows, window: unknown, element: RefObject<HTMLElement | null>): Rows {
  const isPointedAt = useIsPointedAt(element);
  const shown = useRef({ rows, window });
  if (!isPointedAt || shown.current.window !== window) shown.current = { rows, window };
  return shown.current.rows;
}
