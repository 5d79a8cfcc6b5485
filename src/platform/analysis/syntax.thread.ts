// Checks files in a thread of their own, which can be stopped, because some files take long to parse.
import { answerTasks } from '../threads.ts';
import { checkSkill, languageOf, type Fault } from './syntax.ts';

export interface SyntaxTask {
  readonly path: string;
  readonly text: string;
  readonly isSkill: boolean;
}

answerTasks((task) => faultsOf(task as SyntaxTask));

function faultsOf({ path, text, isSkill }: SyntaxTask): readonly Fault[] {
  try {
    return isSkill ? checkSkill(text) : (languageOf(path)?.check(text) ?? []);
  } catch (error) {
    // Parsers are recursive, and the nesting overflowed the stack of one.
    if (error instanceof RangeError) return [{ line: null, message: 'This is nested too deeply.' }];
    throw error;
  }
}
