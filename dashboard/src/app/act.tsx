// The dialog of an action. Before the action can be confirmed, the dialog reads from the server what the action would
// do. It reads this again when something changes. No action is shown as done before the server says so.
import {
  createContext,
  useCallback,
  useContext,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
  type FormEvent,
  type ReactNode,
} from 'react';
import type { OperationResult } from '@urql/core';
import { cx } from '../design/cx.ts';
import { Dialog } from '../design/dialog.tsx';
import { Button } from '../design/parts.tsx';
import styles from '../design/parts.module.css';
import { keepDraft, readDraft } from './drafts.ts';
import { mayBeDone, problemOf, problemOfThrown, problemReference, RefusedError, type Problem } from './errors.ts';
import { forgetKeys } from './keyed.ts';
import { usePreview, type Effect, type Preview, type Values } from './use-preview.ts';

export interface Field {
  readonly name: string;
  readonly label: string;
  readonly required?: boolean;
  readonly multiline?: boolean;
  readonly type?: 'text' | 'datetime-local' | 'url' | 'email' | 'number';
  readonly initial?: string;
  readonly options?: readonly string[];
}

export interface Action {
  readonly title: string;
  /** The text of the button that confirms the action. */
  readonly verb: string;
  readonly harms: boolean;
  readonly fields?: readonly Field[];
  /** Reads from the API what the action would do, and changes nothing. Null if the API has no preview of the action. */
  readonly preview: ((values: Values) => Promise<Effect>) | null;
  /**
   * Carries out the action. `shown` is the preview that the user confirms, or null if there is no preview. Returns the
   * sentence that the user sees when the action has succeeded.
   */
  readonly run: (values: Values, shown: Effect | null) => Promise<string>;
}

/** Waits for an operation and returns its data. Throws `RefusedError` if the API refused it or sent no data. */
export async function answerOf<Data>(
  operation: { readonly toPromise: () => Promise<OperationResult<Data>> } | Promise<OperationResult<Data>>,
): Promise<Data> {
  const { data, error } = await ('toPromise' in operation ? operation.toPromise() : operation);
  if (error) throw new RefusedError(problemOf(error));
  if (data === undefined)
    throw new RefusedError({ sentence: 'The server sent an empty answer.', code: 'EMPTY', requestId: null });
  return data;
}

const ActContext = createContext<{ readonly act: (action: Action) => void; readonly say: (sentence: string) => void }>({
  act: () => undefined,
  say: () => undefined,
});

/** Returns a function that opens the dialog of an action. */
export function useAct(): (action: Action) => void {
  return useContext(ActContext).act;
}

/**
 * Returns a function that shows a sentence at the bottom of the page for five seconds, and announces it to screen
 * readers.
 */
export function useSay(): (sentence: string) => void {
  return useContext(ActContext).say;
}

const sayForMs = 5_000;

export function ActionProvider({ children }: { readonly children: ReactNode }): ReactNode {
  const [action, setAction] = useState<Action | null>(null);
  const [sentenceShown, setSentenceShown] = useState<string | null>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const say = useCallback((sentence: string) => {
    setSentenceShown(sentence);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setSentenceShown(null), sayForMs);
  }, []);
  const [value] = useState({ act: setAction, say });
  return (
    <ActContext value={value}>
      {children}
      {action && (
        <ActionDialog
          key={action.title}
          action={action}
          // An answer that arrives late does not close the dialog of another action.
          onClose={() => setAction((shown) => (shown === action ? null : shown))}
          say={say}
        />
      )}
      <div role="status" aria-live="polite">
        {sentenceShown !== null && <div className={styles['toast']}>{sentenceShown}</div>}
      </div>
    </ActContext>
  );
}

interface ActionDialogProps {
  readonly action: Action;
  readonly onClose: () => void;
  readonly say: (sentence: string) => void;
}

function ActionDialog({ action, onClose, say }: ActionDialogProps): ReactNode {
  const fields = action.fields ?? [];
  const { values, change, forget } = useValues(action);
  const close = (): void => {
    forget();
    onClose();
  };
  const { run, isRunning, refusal } = useRun(action, { onClose: close, say });
  const { effect, problem, isArmed } = usePreview(action.preview, values);
  const confirm = useRef<HTMLButtonElement>(null);
  const isComplete = fields.every(({ name, required }) => required !== true || (values[name] ?? '').trim() !== '');
  const canConfirm = isArmed && isComplete && !isRunning;

  // A second click in the same dialog repeats a request that got no answer, with the same idempotency key. When the
  // dialog closes, the key is forgotten, so that the next dialog makes a new request.
  useEffect(() => forgetKeys, []);
  // The button has the focus as soon as it can be pressed, so that no Enter is lost.
  useLayoutEffect(() => {
    if (canConfirm && fields.length === 0) confirm.current?.focus();
  }, [canConfirm, fields.length]);

  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (canConfirm) run(values, effect);
  };
  return (
    // A click beside the dialog may be a slip, so it keeps the draft.
    <Dialog title={action.title} onClose={close} onClickBeside={onClose} holdsFocus={fields.length === 0}>
      <form id="action" onSubmit={submit} className={styles['fields']}>
        {fields.map((field) => (
          <FieldInput
            key={field.name}
            field={field}
            value={values[field.name] ?? ''}
            onChange={(value) => change(field.name, value)}
          />
        ))}
      </form>
      <Expected {...{ action, effect, problem, refusal }} />
      <div className={styles['acts']}>
        {!isRunning && !(refusal && mayBeDone(refusal)) && (
          <span className={cx(styles['unchanged'], 'sm faint')}>Nothing has been changed yet.</span>
        )}
        <span className="grow" />
        <Button onClick={close} shortcut="Esc">
          Close
        </Button>
        <button
          ref={confirm}
          type="submit"
          form="action"
          disabled={!canConfirm}
          className={cx(styles['button'], styles[action.harms ? 'harm' : 'go'])}
        >
          {isRunning ? 'Sending…' : action.verb}
          <kbd className={styles['kbd']} aria-hidden="true">
            ↵
          </kbd>
        </button>
      </div>
    </Dialog>
  );
}

/** The values of the fields. They are kept as a draft until the dialog is closed, except by a click beside it. */
function useValues({ title, fields = [] }: Action) {
  const draftName = `${location.pathname} ${title}`;
  const [values, setValues] = useState<Values>(() => {
    const draft = (readDraft(draftName) ?? {}) as Values;
    return Object.fromEntries(
      fields.map(({ name, initial, options }) => {
        const kept = draft[name];
        const isKept = kept !== undefined && options?.includes(kept) !== false;
        return [name, isKept ? kept : (initial ?? options?.[0] ?? '')];
      }),
    );
  });
  const change = (name: string, value: string): void => {
    const changed = { ...values, [name]: value };
    setValues(changed);
    keepDraft(draftName, changed);
  };
  return { values, change, forget: () => keepDraft(draftName, null) };
}

interface Run {
  readonly run: (values: Values, shown: Effect | null) => void;
  readonly isRunning: boolean;
  /** Why the action failed. Null: it has not failed. */
  readonly refusal: Problem | null;
}

/**
 * Runs the action. Afterwards says the sentence of its success and closes the dialog, or keeps the refusal. If the user
 * has closed the dialog meanwhile, says the refusal.
 */
function useRun(action: Action, { onClose, say }: Pick<ActionDialogProps, 'onClose' | 'say'>): Run {
  const [refusal, setRefusal] = useState<Problem | null>(null);
  const [isRunning, setRunning] = useState(false);
  const isOpen = useRef(true);
  useEffect(() => {
    isOpen.current = true;
    return () => {
      isOpen.current = false;
    };
  }, []);
  const run = (values: Values, shown: Effect | null): void => {
    setRunning(true);
    action.run(values, shown).then(
      (sentence) => {
        say(sentence);
        onClose();
      },
      (error: unknown) => {
        setRunning(false);
        const problem = problemOfThrown(error);
        setRefusal(problem);
        if (!isOpen.current) say(`${action.verb}: ${headingOf(problem)} ${problem.sentence}`);
      },
    );
  };
  return { run, isRunning, refusal };
}

interface ExpectedProps extends Omit<Preview, 'isArmed'>, Pick<Run, 'refusal'> {
  readonly action: Action;
}

/** Shows what the action would do, or why it is not possible. */
function Expected({ action, effect, problem, refusal }: ExpectedProps): ReactNode {
  const shown = refusal ?? problem;
  return (
    <div aria-live="polite" className={styles['expected']}>
      {shown && (
        <div className={cx(styles['next'], styles['red'])}>
          <b>{headingOf(refusal)}</b>
          <span>{shown.sentence}</span>
          <span className="xs">{problemReference(shown)}</span>
        </div>
      )}
      {!shown && effect && <EffectView effect={effect} harms={action.harms} />}
      {!shown && !effect && action.preview !== null && <p className="faint">Checking what this would change…</p>}
    </div>
  );
}

function headingOf(refusal: Problem | null): string {
  if (refusal === null) return 'This is not possible now.';
  return mayBeDone(refusal)
    ? 'The action may have been carried out. Check the page before you try again.'
    : 'Nothing was changed.';
}

function EffectView({ effect, harms }: { readonly effect: Effect; readonly harms: boolean }): ReactNode {
  return (
    <>
      <div className={cx(styles['next'], styles[harms ? 'amber' : 'plain'])}>
        <span className={styles['lead']}>{effect.sentence}</span>
      </div>
      {effect.lines !== undefined && effect.lines.length > 0 && (
        <ul className={cx(styles['box'], styles['list'])}>
          {effect.lines.map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      )}
      {effect.note !== undefined && <p className="sm dim">{effect.note}</p>}
    </>
  );
}

interface FieldInputProps {
  readonly field: Field;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function FieldInput({ field, value, onChange }: FieldInputProps): ReactNode {
  const shared = {
    className: styles['input'],
    required: field.required,
    value,
    onChange: (event: { readonly currentTarget: { readonly value: string } }) => onChange(event.currentTarget.value),
  };
  return (
    <label className={styles['field']}>
      {field.label}
      {field.options && (
        <select {...shared}>
          {field.options.map((option) => (
            <option key={option}>{option}</option>
          ))}
        </select>
      )}
      {!field.options && field.multiline === true && <textarea {...shared} rows={5} />}
      {!field.options && field.multiline !== true && <input {...shared} type={field.type ?? 'text'} />}
    </label>
  );
}
