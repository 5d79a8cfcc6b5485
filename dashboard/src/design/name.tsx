// Shows a text that a user wrote, such as a title, among other texts. The text may be written from right to left.
import type { ReactNode } from 'react';
import { withoutDirections } from './labels.ts';

interface NameProps {
  readonly children: string | null | undefined;
  /** Whether the text has the line for itself. If the text is too long for the line, its end is cut, not its beginning. */
  readonly isLine?: boolean;
}

/**
 * Shows the text in its own direction, whatever stands around it. The element `bdi` alone is not enough: a character that
 * ends an isolate ends that of the element too, and the characters after it reorder the rest of the line.
 */
export function Name({ children, isLine }: NameProps): ReactNode {
  return <bdi className={isLine === true ? 'line' : undefined}>{withoutDirections(children ?? '')}</bdi>;
}
