// The palette, which lists every command of the page, every queue, and what the server finds by words. When an action
// has been highlighted for a moment, the palette reads and shows the preview of the action. The palette is a combobox
// over a list box, as WAI-ARIA describes it.
import { useEffect, useId, useRef, useState, type KeyboardEvent, type ReactNode } from 'react';
import { Dialog } from '../design/dialog.tsx';
import { Icon } from '../design/icons.tsx';
import { Kbd } from '../design/parts.tsx';
import { withoutDirections } from '../design/labels.ts';
import { Name } from '../design/name.tsx';
import type { ShellQuery } from '../generated/app.ts';
import { isOfComposition } from './commands.ts';
import { problemOfThrown } from './errors.ts';
import { useChoices, type Choice } from './palette-choices.ts';
import styles from './palette.module.css';

const previewAfterMs = 150;
interface PaletteProps {
  readonly shell: ShellQuery | undefined;
  readonly onClose: () => void;
}

export function Palette({ shell, onClose }: PaletteProps): ReactNode {
  const [text, setText] = useState('');
  const [index, setIndex] = useState(0);
  const { choices, note } = useChoices(text, shell);
  const id = useId();
  const chosen = choices[Math.min(index, choices.length - 1)];
  const [previewed, ask] = usePreview(chosen);
  const run = (choice: Choice | undefined): void => {
    if (!choice) return;
    onClose();
    choice.run();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (isOfComposition(event.nativeEvent)) return;
    if (event.key === 'ArrowDown') setIndex(Math.min(index + 1, choices.length - 1));
    else if (event.key === 'ArrowUp') setIndex(Math.max(index - 1, 0));
    else if (event.key === 'Enter' && event.altKey) ask(chosen);
    else if (event.key === 'Enter') run(chosen);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog title={<span className="hidden">Search or act</span>} onClose={onClose} className={styles['palette']}>
      <div className={styles['input']}>
        <Icon name="search" className="faint" />
        <input
          autoFocus
          role="combobox"
          aria-expanded="true"
          aria-controls={`${id}list`}
          aria-activedescendant={chosen && `${id}${chosen.id}`}
          aria-label="Search or act"
          placeholder="A number, words, or what you want to do"
          value={text}
          onKeyDown={onKeyDown}
          onChange={(event) => {
            setText(event.currentTarget.value);
            setIndex(0);
          }}
        />
        <Kbd>Esc</Kbd>
      </div>
      <Choices {...{ id, choices, chosen, previewed, run }} point={(choice) => setIndex(choices.indexOf(choice))} />
      {note !== null && (
        <p className={styles['none']} role="status">
          {note}
        </p>
      )}
      <Footer />
    </Dialog>
  );
}

interface Previewed {
  readonly id: string;
  readonly sentence: string;
}

/**
 * Reads the preview of the chosen action when the action has been chosen for a moment. The second value reads the
 * preview of an action at once.
 */
function usePreview(chosen: Choice | undefined): readonly [Previewed | null, (choice: Choice | undefined) => void] {
  const [previewed, setPreviewed] = useState<Previewed | null>(null);
  const ask = (choice: Choice | undefined): void => {
    choice?.preview?.().then(
      (sentence) => setPreviewed({ id: choice.id, sentence }),
      (error: unknown) => setPreviewed({ id: choice.id, sentence: problemOfThrown(error).sentence }),
    );
  };
  useEffect(() => {
    const timer = setTimeout(() => ask(chosen), previewAfterMs);
    return () => clearTimeout(timer);
  }, [chosen?.id]);
  return [previewed, ask];
}

interface ChoicesProps {
  readonly id: string;
  readonly choices: readonly Choice[];
  readonly chosen: Choice | undefined;
  readonly previewed: Previewed | null;
  readonly run: (choice: Choice) => void;
  readonly point: (choice: Choice) => void;
}

function Choices({ choices, ...props }: ChoicesProps): ReactNode {
  const groups = [...new Set(choices.map(({ group }) => group))];
  return (
    <div id={`${props.id}list`} role="listbox" aria-label="Choices" className={styles['list']}>
      {groups.map((group) => (
        <div key={group} role="group" aria-label={group}>
          <p className={styles['group']} aria-hidden="true">
            {group}
          </p>
          {choices
            .filter((choice) => choice.group === group)
            .map((choice) => (
              <ChoiceItem key={choice.id} choice={choice} {...props} />
            ))}
        </div>
      ))}
    </div>
  );
}

type ChoiceItemProps = Omit<ChoicesProps, 'choices'> & { readonly choice: Choice };

function ChoiceItem({ choice, id, chosen, previewed, run, point }: ChoiceItemProps): ReactNode {
  const row = useRef<HTMLDivElement>(null);
  const isChosen = choice === chosen;
  useEffect(() => {
    if (isChosen) row.current?.scrollIntoView({ block: 'nearest' });
  }, [isChosen]);
  return (
    <div
      ref={row}
      id={`${id}${choice.id}`}
      role="option"
      tabIndex={-1}
      aria-selected={isChosen}
      className={styles['choice']}
      onMouseMove={() => point(choice)}
      onClick={() => run(choice)}
      onKeyDown={() => undefined}
    >
      <span className="cut">
        <Name>{choice.label}</Name>{' '}
        <span className={styles['hint']}>
          {withoutDirections((previewed?.id === choice.id ? previewed.sentence : choice.hint) ?? '')}
        </span>
      </span>
      <span className="grow" />
      {choice.key !== null && <Kbd>{choice.key}</Kbd>}
    </div>
  );
}

function Footer(): ReactNode {
  return (
    <p className={styles['footer']}>
      <span>
        <Kbd>↑</Kbd> <Kbd>↓</Kbd> choose
      </span>
      <span>
        <Kbd>↵</Kbd> do
      </span>
      <span>
        <Kbd>Alt</Kbd> <Kbd>↵</Kbd> preview only
      </span>
    </p>
  );
}
