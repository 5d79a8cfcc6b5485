// Reads a prompt as a script. No part that looks executable is ignored: the parser either understands it, or refuses
// the prompt with the line and what was expected there.
import type { Code, Heading, ListItem, Node, Nodes, Root } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { maxPlannedLeaves } from '../../../domain/runbooks/steps.ts';
import { actionOf, verificationsIn } from './actions.ts';
import { firstLine, describeAction, type Action, type Script, type ScriptLeaf, type ScriptStep } from './script.ts';

export class ScriptFault extends Error {
  readonly line: number;

  constructor(line: number, message: string) {
    super(`Line ${line}: ${message}`);
    this.line = line;
  }
}

const longestPrompt = 200_000;
const longestTitle = 200;

interface OpenLeaf {
  readonly title: string;
  readonly line: number;
  /** Whether the leaf is a heading. Numbered items below a heading are not leaves of their own. */
  readonly isHeading: boolean;
  readonly actions: Action[];
}

interface OpenStep {
  readonly title: string;
  readonly line: number;
  /** What the step itself executes, if it has no parts. */
  readonly own: OpenLeaf;
  readonly parts: OpenLeaf[];
}

// Turns off Markdown's inline syntax. Then `*` and `_` in commands have no meaning, and the time for a line is linear
// in its length.
const blocksAlone = {
  disable: {
    null: [
      'attention',
      'autolink',
      'characterEscape',
      'characterReference',
      'codeText',
      'definition',
      'hardBreakEscape',
      'htmlText',
      'labelEnd',
      'labelStartImage',
      'labelStartLink',
    ],
  },
};

/** Throws ScriptFault. */
export function parseScript(prompt: string): Script {
  const text = prompt.replace(/\r\n?/g, '\n');
  assertReadable(text);
  const root = fromMarkdown(text, { extensions: [blocksAlone] });
  for (const node of root.children) if (node.type === 'heading') assertHeading(node, text);
  const title = titleOf(root);
  const reader = new Reader(text, stepDepth(root, title));
  for (const node of root.children) if (node !== title) reader.readTop(node);
  return { title: title === null ? null : plainText(title, text), steps: reader.finish() };
}

const deepest = 30;

/** Refuses a text that would take the parser very long, because of its length or its nesting. */
function assertReadable(text: string): void {
  if (text.length > longestPrompt)
    throw new ScriptFault(1, `there are ${text.length} characters, and at most ${longestPrompt} are read.`);
  for (const [index, line] of text.split('\n').entries()) {
    const opened = /^(?:\s|[>*+-]|\d{1,9}[.)])*/.exec(line)?.[0] ?? '';
    if ((opened.match(/[>*+-]|\d[.)]/g) ?? []).length > deepest && /[^\s*+-]/.test(line))
      throw new ScriptFault(index + 1, 'this is nested too deeply: expected steps, and parts of steps.');
  }
}

/** Refuses a `verify:` line that Markdown reads as a heading, for example because a line of dashes follows it. */
function assertHeading(node: Heading, text: string): void {
  if (verificationsIn(plainText(node, text), 1).length > 0)
    throw new ScriptFault(
      lineOf(node),
      'this is a heading, by its # or the line below: expected "verify: …" on a line of its own.',
    );
}

/**
 * The title of the script: a first-level heading at the beginning, if it is the only one and if other headings or a
 * numbered list follow. Null: the script has no title.
 */
function titleOf(root: Root): Heading | null {
  const [first, ...rest] = root.children;
  if (first?.type !== 'heading' || first.depth !== 1) return null;
  if (rest.some((node) => node.type === 'heading' && node.depth === 1)) return null;
  return rest.some((node) => node.type === 'heading' || isNumbered(node)) ? first : null;
}

/** The level of the headings that are steps. Null: the steps are items of a numbered list. */
function stepDepth(root: Root, title: Heading | null): number | null {
  const depths = root.children.flatMap((node) => (node.type === 'heading' && node !== title ? [node.depth] : []));
  return depths.length === 0 ? null : Math.min(...depths);
}

class Reader {
  readonly #text: string;
  readonly #depth: number | null;
  readonly #steps: OpenStep[] = [];

  constructor(text: string, depth: number | null) {
    this.#text = text;
    this.#depth = depth;
  }

  readTop(node: Nodes): void {
    if (node.type === 'heading') return this.#readHeading(node);
    if (!isNumbered(node) || this.#steps.at(-1)?.parts.at(-1)?.isHeading === true) return this.#collect(node);
    for (const item of node.children) this.#readItem(item, this.#depth === null ? 'step' : 'part');
  }

  finish(): readonly ScriptStep[] {
    const steps = this.#steps.map(closeStep);
    const leaves = steps.flatMap((step) => step.leaves);
    if (leaves.length === 0)
      throw new ScriptFault(1, 'there is nothing to execute: expected a numbered step with a fence.');
    if (leaves.length > maxPlannedLeaves)
      throw new ScriptFault(1, `there are ${leaves.length} steps, and at most ${maxPlannedLeaves} are taken.`);
    return steps;
  }

  #readHeading(node: Heading): void {
    const title = plainText(node, this.#text);
    if (node.depth === this.#depth) this.#steps.push(openStep(title, lineOf(node)));
    else this.#beginPart(title, node);
  }

  #readItem(item: ListItem, as: 'step' | 'part'): void {
    const [first] = item.children;
    const title = first?.type === 'paragraph' ? titleLine(plainText(first, this.#text)) : '';
    if (as === 'step') this.#steps.push(openStep(title, lineOf(item)));
    else this.#beginPart(title, item);
    for (const child of item.children)
      if (as === 'step' && isNumbered(child)) for (const part of child.children) this.#readItem(part, 'part');
      else this.#collect(child);
  }

  #beginPart(title: string, node: Node): void {
    const step = this.#steps.at(-1);
    if (step === undefined) throw new ScriptFault(lineOf(node), 'expected a step before the parts of one.');
    const [early] = step.own.actions;
    if (early !== undefined)
      throw new ScriptFault(early.line, `"${step.title}" has parts, so this belongs into one of them.`);
    step.parts.push({ title, line: lineOf(node), isHeading: node.type === 'heading', actions: [] });
  }

  /** Adds all actions in a node to the newest leaf. Block quotes are notes and are not executed. */
  #collect(node: Nodes): void {
    if (node.type === 'blockquote') return;
    if (node.type === 'code') return (this.#leaf(node).actions.push(this.#actionIn(node)), undefined);
    if (node.type === 'paragraph') {
      const found = verificationsIn(source(node, this.#text), lineOf(node));
      if (found.length > 0) this.#leaf(node).actions.push(...found);
      return;
    }
    if ('children' in node) for (const child of node.children) this.#collect(child);
  }

  #actionIn(node: Code): Action {
    const { action, fault } = actionOf(node, lineOf(node), source(node, this.#text));
    if (action === null) throw new ScriptFault(lineOf(node), fault);
    return action;
  }

  #leaf(node: Node): OpenLeaf {
    // A prompt without steps is a single step.
    if (this.#steps.length === 0 && this.#depth === null) this.#steps.push(openStep('', lineOf(node)));
    const step = this.#steps.at(-1);
    if (step === undefined)
      throw new ScriptFault(lineOf(node), 'expected a step (a heading, or a number) before this.');
    return step.parts.at(-1) ?? step.own;
  }
}

function openStep(title: string, line: number): OpenStep {
  return { title, line, own: { title, line, isHeading: false, actions: [] }, parts: [] };
}

function closeStep(step: OpenStep): ScriptStep {
  const leaves = (step.parts.length === 0 ? [step.own] : step.parts).map(closeLeaf);
  return { title: step.title === '' ? (leaves[0]?.title ?? '') : cut(step.title), leaves };
}

function closeLeaf({ title, line, actions }: OpenLeaf): ScriptLeaf {
  const [first] = actions;
  if (first === undefined)
    throw new ScriptFault(
      line,
      `${title === '' ? 'this step' : JSON.stringify(firstLine(title))} has nothing to execute: expected a fence (sh, bash, diff, or path=…) or a line "verify: …" in it.`,
    );
  const text = describeAction(first);
  return { title: cut(title === '' ? `${text.slice(0, 1).toUpperCase()}${text.slice(1)}` : title), actions };
}

function isNumbered(node: Nodes): node is Extract<Nodes, { type: 'list' }> {
  return node.type === 'list' && node.ordered === true;
}

function lineOf(node: Node): number {
  return node.position?.start.line ?? 1;
}

function source(node: Node, text: string): string {
  return text.slice(node.position?.start.offset ?? 0, node.position?.end.offset ?? 0);
}

/** The text as it was written, without the marks of a heading. */
function plainText(node: Heading | Extract<Nodes, { type: 'paragraph' }>, text: string): string {
  const [first] = node.children;
  const last = node.children.at(-1);
  if (first === undefined || last === undefined) return '';
  return text.slice(first.position?.start.offset ?? 0, last.position?.end.offset ?? 0).trim();
}

/** The title is the first line. If the first line is a verification, the title is empty. */
function titleLine(text: string): string {
  const line = (text.split('\n')[0] ?? '').trim();
  return verificationsIn(line, 1).length > 0 ? '' : line;
}

function cut(title: string): string {
  const line = title.replace(/\s+/g, ' ').trim();
  return line.length > longestTitle ? `${line.slice(0, longestTitle - 1)}…` : line;
}
