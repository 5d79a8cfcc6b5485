// The commands of the page, which a user runs by a key or in the palette. Each part of the page adds its own commands.
import { useEffect, useState } from 'react';
import type { Copy } from './copy.tsx';
import { readPreferences } from './preferences.ts';

export interface Command {
  /** One key, or two keys after each other as in `g q`. Null: the command is only in the palette. */
  readonly key: string | null;
  readonly label: string;
  readonly group: 'Pages' | 'This page' | 'This row' | 'View';
  readonly run: () => void;
  /** Reads what the command would do, as a sentence. */
  readonly preview?: (() => Promise<string>) | undefined;
  /** Why the command cannot be run now. Undefined: the command can be run. */
  readonly disabled?: string | undefined;
  /** Whether the command only moves the focus or the choice. The palette leaves such commands out. */
  readonly isMove?: boolean;
}

interface Source {
  readonly place: number;
  commands: readonly Command[];
}

const sources = new Set<Source>();
let places = 0;
const sequenceMs = 1_200;
let first: { readonly key: string; readonly at: number } | null = null;

/** Lists all commands. The commands of the innermost part of the page come first. */
export function listCommands(): readonly Command[] {
  return [...sources].sort((a, b) => b.place - a.place).flatMap(({ commands }) => commands);
}

export function useCommands(commands: readonly Command[]): void {
  // A part of a page is rendered before the parts inside it, but its effects run after theirs.
  const [source] = useState((): Source => ({ place: (places += 1), commands }));
  source.commands = commands;
  useEffect(() => {
    sources.add(source);
    return () => {
      sources.delete(source);
    };
  }, [source]);
}

/**
 * Types of inputs in which keys still run commands. For example, after `t` the slider has the focus, and the key `.`
 * must lead back to now.
 */
const untyped = new Set(['range', 'checkbox', 'radio']);

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement) return !untyped.has(target.type);
  return target.isContentEditable || ['TEXTAREA', 'SELECT'].includes(target.tagName);
}

/**
 * Whether the key belongs to the composition of a word, for example in Japanese. Safari ends the composition before the
 * event of the key, whose code is then 229.
 */
export function isOfComposition({ isComposing, keyCode }: KeyboardEvent): boolean {
  return isComposing || keyCode === 229;
}

function onKey(event: KeyboardEvent, showWhyNot: (sentence: string) => void): void {
  if (event.defaultPrevented || isOfComposition(event) || isTyping(event.target)) return;
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (document.querySelector('dialog[open]') !== null) return;
  if (!readPreferences().singleKeys && event.key.length === 1) return;
  const isSecond = first !== null && performance.now() - first.at < sequenceMs;
  const typed = isSecond && first !== null ? `${first.key} ${event.key}` : event.key;
  const command = listCommands().find(({ key }) => key === typed);
  first = !isSecond && event.key === 'g' ? { key: 'g', at: performance.now() } : null;
  if (!command) return;
  if (command.disabled !== undefined) return showWhyNot(command.disabled);
  // If a link or button has the focus, Enter activates it and runs no command.
  if (event.key === 'Enter' && event.target instanceof Element && event.target.closest('a, button') !== null) return;
  event.preventDefault();
  command.run();
}

/** Listens to keys while the page is open. If a command cannot be run now, the reason is shown. */
export function listenToKeys(showWhyNot: (sentence: string) => void): () => void {
  const listener = (event: KeyboardEvent): void => onKey(event, showWhyNot);
  document.addEventListener('keydown', listener);
  return () => document.removeEventListener('keydown', listener);
}

/** Makes the command that copies the commit. The command is disabled if there is no commit. */
export function copyCommitCommand(commit: string | null | undefined, copy: Copy): Command {
  return {
    key: 'y',
    label: 'Copy the commit',
    group: 'View',
    run: () => copy(commit ?? '', `The commit ${(commit ?? '').slice(0, 8)} is copied.`),
    disabled: commit ? undefined : 'There is no commit to copy yet.',
  };
}
