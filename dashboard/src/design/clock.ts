// The clock of the whole page. It is the clock of this machine, corrected by the header `Date` of the answers of GraphQL.
// It ticks each second while the page is visible.
import { useSyncExternalStore } from 'react';

let offsetMs = 0;
let current = Date.now();
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

/**
 * Corrects the clock by a `Date` header. The header has whole seconds, so a difference below two seconds is ignored.
 */
export function correctClock(dateHeader: string | null): void {
  if (dateHeader === null) return;
  const difference = Date.parse(dateHeader) - Date.now();
  if (Number.isNaN(difference)) return;
  const before = offsetMs;
  offsetMs = Math.abs(difference) < 2_000 ? 0 : difference;
  if (Math.abs(offsetMs - before) >= 2_000) tick();
}

/** Milliseconds since the epoch by the server's clock. */
export function now(): number {
  return Date.now() + offsetMs;
}

function tick(): void {
  if (document.hidden) return;
  current = now();
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(tick, 1_000);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** Returns the present moment, and renders again each second. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => current);
}
