// The elements that pages are made of: buttons, pills, states, a bar, an answer.
import { useEffect, useRef, type ButtonHTMLAttributes, type ReactNode } from 'react';
import { cx } from './cx.ts';
import { Icon, type IconName } from './icons.tsx';
import styles from './parts.module.css';

export type Tone = 'blue' | 'green' | 'amber' | 'red' | 'violet' | 'plain';

export function Kbd({ children }: { readonly children: ReactNode }): ReactNode {
  return (
    <kbd className={styles['kbd']} aria-hidden="true">
      {children}
    </kbd>
  );
}

interface ButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'className'> {
  readonly kind?: 'plain' | 'go' | 'harm' | 'quiet';
  readonly icon?: IconName;
  /** The key that does the same as a click. */
  readonly shortcut?: string | undefined;
  readonly wide?: boolean;
  /**
   * What the button acts on. Screen readers say it after the text of the button, which must be a plain text. Buttons of
   * a list all have the same text.
   */
  readonly about?: string;
}

export function Button({ kind = 'plain', icon, shortcut, wide, about, children, ...rest }: ButtonProps): ReactNode {
  const name = about !== undefined && typeof children === 'string' ? `${children} ${about}` : undefined;
  return (
    <button type="button" aria-label={name} {...rest} className={cx(styles['button'], styles[kind], wide && 'wide')}>
      {icon && <Icon name={icon} />}
      {children}
      {shortcut !== undefined && <Kbd>{shortcut}</Kbd>}
    </button>
  );
}

export function Pill({ tone, children }: { readonly tone?: Tone; readonly children: ReactNode }): ReactNode {
  return <span className={cx(styles['pill'], tone && styles[`tone_${tone}`])}>{children}</span>;
}

export function Seal({ children }: { readonly children: ReactNode }): ReactNode {
  return (
    <span className={styles['seal']}>
      <Icon name="seal" />
      <span>{children}</span>
    </span>
  );
}

/** The top of a page: the links that lead to it, its title and its actions. */
export function Bar({
  crumbs,
  title,
  children,
}: {
  readonly crumbs?: ReactNode;
  readonly title: ReactNode;
  readonly children?: ReactNode;
}): ReactNode {
  const bar = useRef<HTMLDivElement>(null);
  // On a narrow screen, the bar stays over what is scrolled below it. Its height depends on how its buttons wrap.
  useEffect(() => {
    const element = bar.current;
    if (element === null) return undefined;
    const observer = new ResizeObserver(() =>
      document.documentElement.style.setProperty('--bar-height', `${element.offsetHeight}px`),
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return (
    <div ref={bar} className={styles['bar']}>
      {crumbs}
      <h1 className="nowrap" title={typeof title === 'string' ? title : undefined}>
        {title}
      </h1>
      {children}
    </div>
  );
}

/** The headline of a page: the most important fact in one sentence, and details below it. */
export function Answer({ children, facts }: { readonly children: ReactNode; readonly facts?: ReactNode }): ReactNode {
  return (
    <div className={styles['answer']}>
      <h2>{children}</h2>
      {facts !== undefined && <div className={styles['facts']}>{facts}</div>}
    </div>
  );
}

export function Waiting(): ReactNode {
  return (
    <div className={styles['waiting']} aria-busy="true">
      {[1, 2, 3, 4, 5].map((line) => (
        <div key={line} className={styles['skeleton']} />
      ))}
      <span className="hidden">Loading</span>
    </div>
  );
}

/** What a page shows instead of an empty list: a sentence, and the next step. */
export function Empty({
  title,
  children,
  actions,
}: {
  readonly title: ReactNode;
  readonly children?: ReactNode;
  readonly actions?: ReactNode;
}): ReactNode {
  return (
    <div className={styles['state']}>
      <h2 className={styles['lead']}>{title}</h2>
      {children !== undefined && <div className="dim">{children}</div>}
      {actions !== undefined && <div className={styles['acts']}>{actions}</div>}
    </div>
  );
}

/** A failure: what did not happen, why, and what the reader can do. */
export function Failure({
  title,
  children,
  code,
  retry,
}: {
  readonly title: ReactNode;
  readonly children: ReactNode;
  readonly code?: string | undefined;
  readonly retry?: (() => void) | undefined;
}): ReactNode {
  return (
    <div className={styles['state']} role="alert">
      <div className={cx(styles['next'], styles['red'])}>
        <b>{title}</b>
        <span>{children}</span>
      </div>
      <div className={styles['acts']}>
        {retry && (
          <Button kind="go" onClick={retry}>
            Try again
          </Button>
        )}
        {code !== undefined && <span className="xs faint">{code}</span>}
      </div>
    </div>
  );
}

export function Banner({
  tone,
  children,
  action,
}: {
  readonly tone?: Tone;
  readonly children: ReactNode;
  readonly action?: ReactNode;
}): ReactNode {
  return (
    <div className={cx(styles['banner'], tone && styles[tone])}>
      <span>{children}</span>
      <span className="grow" />
      {action}
    </div>
  );
}

/** A text whose parts between backticks are code. */
export function WithCode({ text }: { readonly text: string }): ReactNode {
  return text.split(/`([^`]+)`/).map((part, index) => (index % 2 === 0 ? part : <code key={index}>{part}</code>));
}

/** Text to copy, such as commands. */
export function Terminal({ label, children }: { readonly label: string; readonly children: string }): ReactNode {
  return (
    <div>
      {/* The text scrolls, so a user must be able to focus it by keyboard. */}
      <pre className={styles['term']} tabIndex={0} role="region" aria-label={label}>
        {children}
      </pre>
    </div>
  );
}

interface PagesProps {
  /** The cursor before the shown page. Null: the first page is shown. */
  readonly after: string | null;
  readonly pageInfo: { readonly endCursor?: string | null; readonly hasNextPage: boolean } | undefined;
  readonly onPage: (after: string | null) => void;
  /** What the button to the first page says. */
  readonly first?: string;
  /** What the button to the next page says. */
  readonly next?: string;
}

/** The greatest page of a list that the API sends. */
const greatestPage = 100;

interface EarlierProps {
  /** The number of entries that the page reads. */
  readonly first: number;
  readonly hasMore: boolean;
  /** What the entries are, such as `builds`. A page may have several lists. */
  readonly what: string;
  readonly onShow: (first: number) => void;
  /** Says where the other entries are when the page can show no more. */
  readonly children: ReactNode;
}

/** The way to the earlier entries of a list that grows. */
export function Earlier({ first, hasMore, what, onShow, children }: EarlierProps): ReactNode {
  if (!hasMore) return null;
  if (first >= greatestPage) return <p className="sm dim">{children}</p>;
  return (
    <div className={styles['acts']}>
      <Button about={what} onClick={() => onShow(Math.min(2 * first, greatestPage))}>
        Show earlier
      </Button>
    </div>
  );
}

/**
 * The way to the other entries of a list, and back. The default texts are for a list with the newest first. The button
 * stands below the list, so the part around it is scrolled to its top, and gets the focus.
 */
export function Pages({ after, pageInfo, onPage, first = 'Newest', next = 'Older' }: PagesProps): ReactNode {
  const turnTo = (cursor: string | null, button: Element): void => {
    const part = button.closest<HTMLElement>('[tabindex]');
    part?.focus({ preventScroll: true });
    part?.scrollTo({ top: 0 });
    part?.scrollIntoView({ block: 'start' });
    onPage(cursor);
  };
  return (
    <div className={styles['acts']}>
      {after !== null && <Button onClick={({ currentTarget }) => turnTo(null, currentTarget)}>{first}</Button>}
      {pageInfo?.hasNextPage === true && (
        <Button onClick={({ currentTarget }) => turnTo(pageInfo.endCursor ?? null, currentTarget)}>{next}</Button>
      )}
    </div>
  );
}
