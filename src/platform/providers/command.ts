// The provider that runs the configured command in a checkout of the commit, in the sandbox. A worker supervises the
// command. If the command is aborted or the worker is killed, all processes of the command end.
import { StringDecoder } from 'node:string_decoder';
import { tmpdir } from 'node:os';
import { hostClient, hostFailureOf, HostRefused, type Hosts } from '../../hosts/port.ts';
import {
  lastLineOf,
  removeAbandonedFolders,
  withRunFolders,
  describeOutcome,
  type Sandbox,
  type SandboxOutcome,
} from '../sandbox/index.ts';
import { createMask, maskSecrets } from './mask.ts';
import { settingsOf, type SupervisedProvider, type ProviderReading, type ProviderRun } from './port.ts';

export interface CommandOptions {
  readonly hosts: Hosts;
  /** Null: this worker has no sandbox, and runs no command. */
  readonly sandbox: Sandbox | null;
  /**
   * Whether commands have this machine's network, which a deployment to another machine needs. If it is a function, it
   * is called for each command.
   */
  readonly network: boolean | (() => Promise<boolean>);
  /** The folder for checkouts. Each checkout is removed after its run. */
  readonly workDir?: string;
}

const keptForLastLine = 1_000;

export function createCommandProvider(options: CommandOptions): SupervisedProvider {
  const { sandbox } = options;
  const workDir = options.workDir ?? tmpdir();
  let cleaned: Promise<void> | undefined;
  return {
    shape: 'supervised',
    async run(run, { signal, onOutput }) {
      const { timeoutSec } = settingsOf(run, 'command');
      const network = typeof options.network === 'boolean' ? options.network : await options.network();
      if (!network && sandbox?.kind !== 'plain') onOutput(withoutNetwork);
      if (sandbox === null) return { state: 'error', message: noSandbox, url: null };
      // If an abandoned folder cannot be removed, the command runs nevertheless.
      await (cleaned ??= removeAbandonedFolders(workDir).catch(() => {}));
      const startedAt = performance.now();
      const seconds = (): string => ((performance.now() - startedAt) / 1000).toFixed(1);
      let tail = '';
      const mask = createMask(run.secret, (text) => {
        tail = (tail + text).slice(-keptForLastLine);
        onOutput(text);
      });
      const outcome = await execute({ ...options, network, sandbox, workDir }, run, {
        signal,
        write: mask.write,
      }).catch((error: Error): SandboxOutcome => {
        // The command has not begun. The supervisor tries again when the code host works again.
        if (hostFailureOf(error) !== null) throw error;
        const text = maskSecrets(run.secret, error.message);
        return error instanceof HostRefused ? { kind: 'stopped', because: text } : { kind: 'failed', reason: text };
      });
      mask.end();
      const facts = { what: 'The command', seconds: seconds(), timeoutSec, lastLine: lastLineOf(tail) };
      const message = describeOutcome(outcome, facts);
      onOutput(`${tail === '' || tail.endsWith('\n') ? '' : '\n'}[interlock] ${message}\n`);
      return { state: stateOf(outcome), message, url: null };
    },
  };
}

const withoutNetwork =
  '[interlock] Commands have no network on this worker. The operator can give them a network by DEPLOYMENT_NETWORK=true.\n';
const noSandbox =
  'The command was not run: this worker has no sandbox. Install bubblewrap (apt-get install bubblewrap), or allow user namespaces.';

function stateOf(outcome: SandboxOutcome): ProviderReading['state'] {
  switch (outcome.kind) {
    case 'exited':
      return outcome.code === 0 ? 'success' : 'failure';
    case 'timed out':
    case 'stopped':
      return 'failure';
    case 'canceled':
      return 'canceled';
    case 'failed':
      return 'error';
    default: {
      const never: never = outcome;
      throw new Error(`Unknown outcome ${JSON.stringify(never)}`);
    }
  }
}

interface Execution {
  readonly signal: AbortSignal;
  readonly write: (text: string) => void;
}

async function execute(
  {
    hosts,
    sandbox,
    network,
    workDir,
  }: CommandOptions & { readonly network: boolean; readonly sandbox: Sandbox; readonly workDir: string },
  run: ProviderRun,
  { signal, write }: Execution,
): Promise<SandboxOutcome> {
  const { command, timeoutSec } = settingsOf(run, 'command');
  return await withRunFolders(workDir, async (folders) => {
    const into = { folder: folders.checkout, bounds: sandbox.bounds };
    await hostClient({ hosts }, run.repository).checkOut(run.commit, into);
    if (signal.aborted) return { kind: 'canceled' };
    const decoder = new StringDecoder('utf8');
    const outcome = await sandbox.run({
      command,
      folders,
      env: environmentOf(run),
      timeoutMs: timeoutSec * 1000,
      network,
      onOutput: (chunk) => write(decoder.write(chunk)),
      signal,
    });
    write(decoder.end());
    return outcome;
  });
}

/**
 * The environment variables of the command: the facts, by their names in capitals, such as `DEPLOYMENT_ID`, and the
 * secret.
 */
function environmentOf({ facts, commit, key, repository, secret }: ProviderRun): Record<string, string> {
  return {
    ...Object.fromEntries(Object.entries(facts).map(([name, value]) => [name.toUpperCase(), value])),
    INTERLOCK: 'true',
    RUN_KEY: key,
    REPOSITORY: `${repository.owner}/${repository.name}`,
    COMMIT: commit,
    ...(secret !== null && { DEPLOYMENT_SECRET: secret }),
  };
}
