// The text that a user types in the editor of the configuration.
import { useEffect, useState } from 'react';
import { keepDraft, readDraft } from '../app/drafts.ts';

interface Draft {
  readonly begunFrom: string;
  readonly text: string;
}

/**
 * The text in the editor, and the configuration from which the user began to edit. A configuration that changes
 * meanwhile takes the place of the text only if the user has typed nothing. A typed text is kept as a draft. The editor
 * shows the text of each edition.
 */
export function useText(yaml: string, draftName: string) {
  const [{ begunFrom, text, edition }, setState] = useState(() => ({
    ...((readDraft(draftName) as Draft | null) ?? { begunFrom: yaml, text: yaml }),
    edition: 0,
  }));
  const discard = (): void => setState({ begunFrom: yaml, text: yaml, edition: edition + 1 });
  const isTyped = text !== begunFrom && text !== yaml;
  if (yaml !== begunFrom && !isTyped) discard();
  useEffect(() => keepDraft(draftName, isTyped ? { begunFrom, text } : null), [draftName, isTyped, begunFrom, text]);
  const setText = (typed: string): void => setState((before) => ({ ...before, text: typed }));
  return { begunFrom, text, edition, setText, discard };
}
