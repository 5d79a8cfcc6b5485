// Scrolls a page to where it was when the user comes back to it. The router scrolls when the page is rendered, but the rows
// of most pages are read later.
import type { RegisteredRouter } from '@tanstack/react-router';

interface Position {
  /** Of the window. On a narrow screen, the window scrolls. */
  readonly window: number;
  /** Of the part of the page that scrolls on a wide screen. */
  readonly part: number;
}

/** How long the rows of a page may take. */
const giveUpAfterMs = 10_000;
/** How long a page may grow after its rows are there. */
const grownAfterMs = 500;
const inputs = ['wheel', 'touchstart', 'pointerdown', 'keydown'] as const;

const partOf = (): Element | null => document.querySelector('main [tabindex="0"]');
/** Whether a part of the page waits for its rows. */
const isWaiting = (): boolean => document.querySelector('main [aria-busy="true"]') !== null;
const keyOf = (state: unknown): string => (state as { readonly __TSR_key?: string } | null)?.__TSR_key ?? '';
const entryKey = (): string => keyOf(history.state);

/** Keeps the positions while the page is open. Returns a function that ends this. */
export function keepScroll(router: RegisteredRouter): () => void {
  const positions = new Map<string, Position>();
  let isRestoring = false;
  let frame = 0;
  let key = entryKey();
  const stop = (): void => {
    isRestoring = false;
    cancelAnimationFrame(frame);
  };
  const record = (): void => {
    if (!isRestoring) positions.set(entryKey(), { window: scrollY, part: partOf()?.scrollTop ?? 0 });
  };
  const restore = (to: Position, giveUpAt: number): void => {
    scrollTo({ top: to.window, behavior: 'instant' });
    const part = partOf();
    part?.scrollTo({ top: to.part, behavior: 'instant' });
    const isThere = Math.abs(scrollY - to.window) < 2 && Math.abs((part?.scrollTop ?? 0) - to.part) < 2;
    const now = performance.now();
    if (isThere || now > giveUpAt) return stop();
    const nextGiveUpAt = isWaiting() ? giveUpAt : Math.min(giveUpAt, now + grownAfterMs);
    frame = requestAnimationFrame(() => restore(to, nextGiveUpAt));
  };
  const unlisten = router.history.subscribe(({ location, action }) => {
    stop();
    const before = positions.get(key);
    key = keyOf(location.state);
    // A replaced entry of the history has a new key.
    if (action.type === 'REPLACE' && before !== undefined) positions.set(key, before);
    // While the former page is still shown, its scrolling must not count for the next one.
    isRestoring = action.type !== 'REPLACE';
  });
  const unsubscribe = router.subscribe('onRendered', () => {
    if (!isRestoring) return;
    const to = positions.get(entryKey());
    if (to === undefined) return stop();
    restore(to, performance.now() + giveUpAfterMs);
  });
  document.addEventListener('scroll', record, { capture: true, passive: true });
  for (const input of inputs) addEventListener(input, stop, { capture: true, passive: true });
  return () => {
    stop();
    unlisten();
    unsubscribe();
    document.removeEventListener('scroll', record, { capture: true });
    for (const input of inputs) removeEventListener(input, stop, { capture: true });
  };
}
