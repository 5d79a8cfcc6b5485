// Shows a text that a user wrote, such as a title, among other texts. The text may be written from right to left.
import type { ReactNode } from 'react';
import { withoutDirections } from './labels.ts';

/**
 * Shows the text in its own direction, whatever stands around it. The element `bdi` alone is not enough: a character that
 * ends an isolate ends that of the element too, and the characters after it reorder the rest of the line.
 */
export function Name({ children }: { readonly children: string | null | undefined }): ReactNode {
  return <bdi>{withoutDirections(children ?? '')}</bdi>;
}
