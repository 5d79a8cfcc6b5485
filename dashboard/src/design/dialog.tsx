// A native modal dialog. The focus stays inside it, Escape closes it, and then the focus returns to where it was.
import { useLayoutEffect, useId, useRef, type ReactNode } from 'react';
import { cx } from './cx.ts';
import styles from './parts.module.css';

interface DialogProps {
  readonly title: ReactNode;
  readonly onClose: () => void;
  /** Called instead of `onClose` if the user clicks beside the dialog. */
  readonly onClickBeside?: () => void;
  readonly children: ReactNode;
  readonly footer?: ReactNode;
  readonly className?: string | undefined;
  /** The dialog itself has the focus at first: an Enter that comes early presses none of its buttons. */
  readonly holdsFocus?: boolean;
}

export function Dialog({
  title,
  onClose,
  onClickBeside = onClose,
  children,
  footer,
  className,
  holdsFocus,
}: DialogProps): ReactNode {
  const ref = useRef<HTMLDialogElement>(null);
  const opensHolding = useRef(holdsFocus === true);
  const pressed = useRef<EventTarget>(null);
  const released = useRef<EventTarget>(null);
  const id = useId();
  // Before the layout effects of the parents, so that these can give the focus to one of the buttons.
  useLayoutEffect(() => {
    const dialog = ref.current;
    const before = document.activeElement;
    dialog?.showModal();
    if (opensHolding.current) {
      dialog?.focus();
      // The browser has scrolled to the first button, which had the focus for an instant.
      dialog?.scrollTo({ top: 0, behavior: 'instant' });
    }
    return () => {
      dialog?.close();
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={ref}
      tabIndex={holdsFocus === true ? -1 : undefined}
      className={cx(styles['dialog'], className)}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      // A browser may close the dialog without an event `cancel`, for example at a second Escape.
      onClose={onClose}
      onMouseDown={(event) => {
        pressed.current = event.target;
      }}
      onMouseUp={(event) => {
        released.current = event.target;
      }}
      // The target of the click is the dialog also if the user selects text from inside the dialog to beside it.
      onClick={({ target }) => {
        if (target === ref.current && target === pressed.current && target === released.current) onClickBeside();
      }}
    >
      <header id={id}>{title}</header>
      <section>{children}</section>
      {footer !== undefined && <footer>{footer}</footer>}
    </dialog>
  );
}
