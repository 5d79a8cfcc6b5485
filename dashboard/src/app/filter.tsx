// The filter of a list, which is a part of the address.
import { useEffect, useRef, useState, type ReactNode, type RefObject } from 'react';
import { useNavigate } from '@tanstack/react-router';
import { cx } from '../design/cx.ts';
import parts from '../design/parts.module.css';

interface FilterProps {
  /** What the text is compared with, such as `number or title`. */
  readonly by: string;
  readonly input: RefObject<HTMLInputElement | null>;
  /** The text in the address. */
  readonly text: string;
}

/**
 * The field that filters a list. Its text is `?text=` of the address. The field shows what the user types at once,
 * because the router changes the address later.
 */
export function Filter({ by, input, text }: FilterProps): ReactNode {
  const navigate = useNavigate();
  const [typed, setTyped] = useState(text);
  /** The texts that were typed, and that the address does not have yet. */
  const sent = useRef<string[]>([]);
  useEffect(() => {
    const at = sent.current.lastIndexOf(text);
    sent.current = sent.current.slice(at + 1);
    // Another text comes from a link, or from Back.
    if (at === -1) setTyped(text);
  }, [text]);
  return (
    <input
      ref={input}
      className={cx(parts['input'], parts['filter'])}
      type="search"
      aria-label={`Filter by ${by}`}
      placeholder="Filter"
      value={typed}
      onChange={(event) => {
        const value = event.currentTarget.value;
        setTyped(value);
        sent.current.push(value);
        void navigate({
          to: '.',
          search: (before: Record<string, unknown>) => ({ ...before, text: value || undefined }),
          replace: true,
        } as never);
      }}
    />
  );
}
