// Reads the steps of the project's Dockerfile, for tests that carry them out without a container runtime.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../src/platform/project-root.ts';

export interface Instruction {
  readonly word: string;
  /** The rest of the instruction, on one line. */
  readonly text: string;
}

export interface Stage {
  /** Null: this is the last stage, which makes the image. */
  readonly name: string | null;
  readonly instructions: readonly Instruction[];
}

export interface Copy {
  /** The stage that has the sources. Null: the build context. */
  readonly from: string | null;
  readonly sources: readonly string[];
  readonly target: string;
}

export function readStages(): Stage[] {
  const text = readFileSync(join(projectRoot, 'Dockerfile'), 'utf8');
  const lines = text
    .split('\n')
    .filter((line) => !line.startsWith('#'))
    .join('\n')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line !== '');
  const stages: { name: string | null; instructions: Instruction[] }[] = [];
  for (const line of lines) {
    const [, word = '', rest = ''] = /^(\w+) (.*)$/.exec(line) ?? [];
    if (word === 'FROM') stages.push({ name: / AS (\w+)$/.exec(rest)?.[1] ?? null, instructions: [] });
    else stages.at(-1)?.instructions.push({ word, text: rest });
  }
  return stages;
}

export function copiesOf({ instructions }: Stage): Copy[] {
  return instructions
    .filter(({ word }) => word === 'COPY')
    .map(({ text }) => {
      const words = text.split(' ');
      const from = /^--from=(\w+)$/.exec(words[0] ?? '')?.[1] ?? null;
      const paths = from === null ? words : words.slice(1);
      return { from, sources: paths.slice(0, -1), target: paths.at(-1) ?? '' };
    });
}

/** The words of an instruction of the last stage that is written as a list, such as ENTRYPOINT. */
export function listOf(word: string): readonly string[] {
  const text = readStages()
    .at(-1)
    ?.instructions.find((instruction) => instruction.word === word)?.text;
  if (text === undefined) throw new Error(`The last stage of the Dockerfile has no ${word}.`);
  return JSON.parse(text.slice(text.indexOf('['))) as string[];
}
