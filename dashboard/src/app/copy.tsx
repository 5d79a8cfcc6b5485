// Copies a text. Browsers let pages copy only over HTTPS or on the same machine, and only if the user permits it. If the
// browser does not copy, the text is shown.
import { createContext, useCallback, useContext, useState, type ReactNode } from 'react';
import { Dialog } from '../design/dialog.tsx';
import { Button, Terminal } from '../design/parts.tsx';
import styles from '../design/parts.module.css';
import { useSay } from './act.tsx';

/** Copies the text, and then says the sentence. */
export type Copy = (text: string, sentence: string) => void;

const CopyContext = createContext<Copy>(() => undefined);

export function useCopy(): Copy {
  return useContext(CopyContext);
}

export function CopyProvider({ children }: { readonly children: ReactNode }): ReactNode {
  const say = useSay();
  const [uncopied, setUncopied] = useState<string | null>(null);
  const close = (): void => setUncopied(null);
  const copy = useCallback<Copy>(
    (text, sentence) => {
      writeToClipboard(text).then(
        () => say(sentence),
        () => setUncopied(text),
      );
    },
    [say],
  );
  return (
    <CopyContext value={copy}>
      {children}
      {uncopied !== null && (
        <Dialog title="Copy this text yourself" onClose={close}>
          <p>Your browser did not copy the text. A page can copy only over HTTPS, and if you permit it.</p>
          <Terminal label="The text to copy">{uncopied}</Terminal>
          <div className={styles['acts']}>
            <span className="grow" />
            <Button onClick={close} shortcut="Esc">
              Close
            </Button>
          </div>
        </Dialog>
      )}
    </CopyContext>
  );
}

/** Rejects if the browser has no clipboard for the page. The types do not say that it can be absent. */
async function writeToClipboard(text: string): Promise<void> {
  await navigator.clipboard.writeText(text);
}
