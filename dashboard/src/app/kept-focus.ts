// Keeps the focus on the page if the element that has it leaves the document. Otherwise a user of the keyboard or of a
// screen reader starts again at the top of the page.

/**
 * When the element that has the focus leaves the document, gives the focus to the innermost part around it that is still
 * there and can have the focus, otherwise to the element `main`. Returns a function that ends this.
 */
export function keepFocus(): () => void {
  /** The element that has the focus, and the parts around it from the innermost to the outermost. */
  let path: readonly HTMLElement[] = [];
  const onFocusIn = ({ target }: FocusEvent): void => {
    path = target instanceof HTMLElement ? pathOf(target) : [];
  };
  const onFocusOut = ({ target }: FocusEvent): void => {
    // An element may lose the focus because it leaves the document, or because the user clicks beside it.
    queueMicrotask(() => {
      const [focused] = path;
      if (focused !== undefined && focused === target && focused.isConnected && hasNoFocus()) path = [];
    });
  };
  const observer = new MutationObserver(() => {
    const [lost, ...around] = path;
    if (lost === undefined || lost.isConnected || !hasNoFocus()) return;
    path = [];
    const next = around.find((part) => part.isConnected) ?? document.querySelector('main');
    next?.focus({ preventScroll: true });
  });
  document.addEventListener('focusin', onFocusIn);
  document.addEventListener('focusout', onFocusOut);
  observer.observe(document.body, { childList: true, subtree: true });
  return () => {
    document.removeEventListener('focusin', onFocusIn);
    document.removeEventListener('focusout', onFocusOut);
    observer.disconnect();
  };
}

function hasNoFocus(): boolean {
  return document.activeElement === null || document.activeElement === document.body;
}

function pathOf(element: HTMLElement): readonly HTMLElement[] {
  const path = [element];
  for (let part = outerPartOf(element); part !== null; part = outerPartOf(part)) path.push(part);
  return path;
}

function outerPartOf(element: HTMLElement): HTMLElement | null {
  return element.parentElement?.closest<HTMLElement>('[tabindex]') ?? null;
}
