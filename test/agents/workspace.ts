// A worktree for the tools of an agent, on the disk of this machine, in its best sandbox.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { changePolicy } from '../../src/domain/runbooks/policy.ts';
import { createTools, type Tools, type Workspace } from '../../src/platform/agents/tools/index.ts';
import { findSandbox, makeRunFolders, type RunFolders } from '../../src/platform/sandbox/index.ts';

export const { sandbox: bestSandbox } = await findSandbox({ allowPlain: true });

export interface Bench extends AsyncDisposable {
  /** The folder around the folders of the run. The tools must not change it. */
  readonly outside: string;
  readonly folders: RunFolders;
  readonly tools: Tools;
  readonly output: () => string;
  put(path: string, content: string): void;
  text(path: string): string;
  /** Calls a tool, and returns the answer that the agent gets. */
  call(name: string, args: unknown): Promise<{ readonly outcome: string; readonly text: string }>;
}

export async function bench(
  files: Readonly<Record<string, string>> = {},
  options: Partial<Workspace> & { readonly mode?: 'plan' | 'work' } = {},
): Promise<Bench> {
  const outside = mkdtempSync(join(tmpdir(), 'interlock-tools-test-'));
  const parent = join(outside, 'run');
  mkdirSync(parent);
  const folders = await makeRunFolders(parent);
  let output = '';
  const { mode = 'work', ...workspace } = options;
  const tools = createTools(
    {
      folders,
      sandbox: bestSandbox,
      policy: changePolicy(false),
      signal: new AbortController().signal,
      onOutput: (text) => void (output += text),
      ...workspace,
    },
    mode,
  );
  const put = (path: string, content: string): void => {
    mkdirSync(dirname(join(folders.checkout, path)), { recursive: true });
    writeFileSync(join(folders.checkout, path), content);
  };
  for (const [path, content] of Object.entries(files)) put(path, content);
  return {
    outside,
    folders,
    tools,
    output: () => output,
    put,
    text: (path) => readFileSync(join(folders.checkout, path), 'utf8'),
    call: async (name, args) => await tools.call(name, args),
    [Symbol.asyncDispose]: async () => rmSync(outside, { recursive: true, force: true }),
  };
}
