// An editor of YAML that marks problems in the text. The editor is in a shadow root. There its styles are adopted style
// sheets, which the Content-Security-Policy allows. Elsewhere the styles would be a <style> element, which the policy
// refuses.
import { useEffect, useRef, type ReactNode } from 'react';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { yaml } from '@codemirror/lang-yaml';
import { setDiagnostics, type Diagnostic } from '@codemirror/lint';
import { EditorState, Transaction } from '@codemirror/state';
import { EditorView, keymap, lineNumbers } from '@codemirror/view';

export interface Problem {
  /** The line, counted from 1. Null: the problem concerns the whole document. */
  readonly line: number | null;
  readonly column: number | null;
  readonly reason: string;
}

interface EditorProps {
  readonly label: string;
  /** The text at the beginning of the edition. A later change has no effect. */
  readonly initial: string;
  /** Another edition replaces the text. The editor keeps the focus. */
  readonly edition: number;
  readonly problems: readonly Problem[];
  readonly onChange: (text: string) => void;
}

const theme = EditorView.theme({
  '&': { color: 'var(--ink)', backgroundColor: 'var(--card)', fontSize: '12px', height: '100%' },
  '.cm-content': { fontFamily: 'var(--mono)', caretColor: 'var(--ink)' },
  '.cm-gutters': { backgroundColor: 'var(--hover)', color: 'var(--ink3)', border: 'none', fontFamily: 'var(--mono)' },
  '&.cm-focused': { outline: '2px solid var(--blue-f)', outlineOffset: '-2px' },
  '.cm-lintRange-error': { backgroundImage: 'none', borderBottom: '2px solid var(--red-f)' },
  '.cm-tooltip': { backgroundColor: 'var(--raised)', color: 'var(--ink)', border: '1px solid var(--edge)' },
});

function diagnosticsOf(problems: readonly Problem[], state: EditorState): Diagnostic[] {
  return problems.map(({ line, column, reason }) => {
    const at = state.doc.line(Math.min(Math.max(line ?? 1, 1), state.doc.lines));
    const from = Math.min(at.from + Math.max((column ?? 1) - 1, 0), at.to);
    return { from, to: at.to, severity: 'error', message: reason };
  });
}

export function Editor({ label, initial, edition, problems, onChange }: EditorProps): ReactNode {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  const begun = useRef(initial);
  const change = useRef(onChange);
  change.current = onChange;
  useEffect(() => {
    if (!host.current) return undefined;
    const root = host.current.shadowRoot ?? host.current.attachShadow({ mode: 'open' });
    const editor = new EditorView({
      root,
      parent: root,
      state: EditorState.create({
        doc: begun.current,
        extensions: [
          lineNumbers(),
          history(),
          yaml(),
          // Tab is not bound, so that a user without a mouse can leave the editor.
          keymap.of([...defaultKeymap, ...historyKeymap]),
          EditorView.contentAttributes.of({ 'aria-label': label }),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) change.current(update.state.doc.toString());
          }),
          theme,
        ],
      }),
    });
    view.current = editor;
    return () => editor.destroy();
  }, [label]);
  const shown = useRef(edition);
  useEffect(() => {
    if (shown.current === edition) return;
    shown.current = edition;
    const length = view.current?.state.doc.length ?? 0;
    view.current?.dispatch({
      changes: { from: 0, to: length, insert: initial },
      annotations: Transaction.addToHistory.of(false),
    });
  }, [edition, initial]);
  useEffect(() => {
    if (view.current)
      view.current.dispatch(setDiagnostics(view.current.state, diagnosticsOf(problems, view.current.state)));
  }, [problems]);
  return <div ref={host} />;
}
