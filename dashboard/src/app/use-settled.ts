// A text that is typed, after typing has paused.
import { useEffect, useState } from 'react';

const settledAfterMs = 250;

/** Returns the typed text after typing has paused for a moment. */
export function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text.trim()), settledAfterMs);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}
