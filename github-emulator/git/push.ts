// Receives a push. First the rules judge its commands; they can read the pushed commits. Then git moves the allowed
// refs. At last an event is emitted for each moved branch or tag.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { accountOf, type Actor } from '../auth/actor.ts';
import type { Core } from '../core.ts';
import type { Repository } from '../model/types.ts';
import type { RefRefusal } from './rules.ts';
import { formatPush, formatReport, parsePush, parseReport, type PushRequest } from './pkt-line.ts';
import { type GitInput, spawnGit } from './run.ts';
import { keepOlderRef } from './shown-refs.ts';
import type { RefChange } from './store.ts';

const declined = {
  reason: 'deny updating a hidden ref',
  remote: [],
  api: { status: 422, message: 'Reference update failed' },
};

/** Returns the bytes of the answer. Null: the caller closes the connection in the middle of the push. */
export async function receivePush(
  core: Core,
  repository: Repository,
  { actor, body }: { readonly actor: Actor; readonly body: Buffer },
): Promise<Buffer | null> {
  const request = parsePush(body);
  // Before a large push, the client sends an empty push to check whether the user may push.
  if (request.changes.length === 0) return Buffer.alloc(0);
  return await core.git.runAlone(repository, async () => await judgeAndReceive(core, { repository, actor, request }));
}

interface Push {
  readonly repository: Repository;
  readonly actor: Actor;
  readonly request: PushRequest;
}

async function judgeAndReceive(core: Core, push: Push): Promise<Buffer | null> {
  const { request, repository } = push;
  const isSideBand = request.capabilities.includes('side-band-64k') || request.capabilities.includes('side-band');
  const refusals = await judge(core, push);
  const refused = new Set(refusals.map(({ ref }) => ref));
  const isAtomic = request.capabilities.includes('atomic');
  const accepted = isAtomic && refused.size > 0 ? [] : request.changes.filter(({ ref }) => !refused.has(ref));
  const cut = core.faults.takeFault('git-receive-pack', 'middle');
  const allowed = cut === null ? accepted : isAtomic ? [] : accepted.slice(0, Math.ceil(accepted.length / 2));
  const report = allowed.length > 0 ? await receive(core, push, { allowed, isSideBand }) : emptyReport;
  const refusedLines = request.changes
    .filter((change) => !allowed.includes(change))
    .map(({ ref }) => `ng ${ref} ${refusals.find((each) => each.ref === ref)?.reason ?? 'atomic push failure'}`);
  const lines = refusals.flatMap(({ remote }) => remote).map((line) => `${line}\n`);
  const moved = allowed.filter(({ ref }) => report.lines.some((line) => line.trim() === `ok ${ref}`));
  await adoptDefaultBranch(core, repository, moved);
  await announceMoves(core, repository, { actor: push.actor, moved });
  if (cut !== null) return null;
  const progress = Buffer.concat([report.progress, Buffer.from(lines.join(''))]);
  return formatReport([...report.lines, ...refusedLines], progress, isSideBand);
}

const emptyReport = { lines: ['unpack ok'], progress: Buffer.alloc(0) };

/** Returns the refusals of the rules. While the rules judge, the pushed objects are in a separate folder. */
async function judge(core: Core, { repository, actor, request }: Push): Promise<RefRefusal[]> {
  const hidden = request.changes
    .filter(({ ref }) => ref.startsWith('refs/pull/'))
    .map(({ ref }) => ({ ref, ...declined }));
  const folder = mkdtempSync(join(tmpdir(), 'push-'));
  try {
    const objects = join(core.git.directoryOf(repository), 'objects');
    const env = { GIT_OBJECT_DIRECTORY: folder, GIT_ALTERNATE_OBJECT_DIRECTORIES: objects };
    await unpack(core, repository, { pack: request.pack, env });
    const changes = request.changes.filter(({ ref }) => !ref.startsWith('refs/pull/'));
    const fault = core.faults.takeFault('git-receive-pack', 'refuse');
    if (fault !== null) {
      const { reason = 'failed', remote = [] } = fault;
      // The lines after `remote: ` are printed once for the whole push, and not for each ref.
      return changes.map(({ ref }, at) => ({ ...declined, ref, reason, remote: at === 0 ? remote : [] }));
    }
    const git = async (args: readonly string[], input: GitInput = {}) =>
      await core.git.run(repository, args, { ...input, env: { ...input.env, ...env } });
    return [...hidden, ...(await core.rules({ repository, actor, changes, via: 'push', git }))];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const emptyPackBytes = 32;
const manyObjects = 100;

async function unpack(
  core: Core,
  repository: Repository,
  { pack, env }: { readonly pack: Buffer; readonly env: Record<string, string> },
): Promise<void> {
  if (pack.length <= emptyPackBytes) return;
  const isLarge = pack.readUInt32BE(8) > manyObjects;
  const args = isLarge ? ['index-pack', '--stdin', '--fix-thin'] : ['unpack-objects', '-q'];
  await core.git.run(repository, args, { stdin: pack, env });
}

async function receive(
  core: Core,
  { repository, request }: Push,
  { allowed, isSideBand }: { readonly allowed: readonly RefChange[]; readonly isSideBand: boolean },
): Promise<{ lines: string[]; progress: Buffer }> {
  const child = spawnGit(core.git.directoryOf(repository), ['receive-pack', '--stateless-rpc', '.']);
  const output: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => output.push(chunk));
  child.stderr.resume();
  child.stdin.end(formatPush(allowed, request.capabilities, request.pack));
  await child.ended;
  return parseReport(Buffer.concat(output), isSideBand);
}

/** The first branch of an empty repository becomes its default branch. */
async function adoptDefaultBranch(core: Core, repository: Repository, moved: readonly RefChange[]): Promise<void> {
  const branches = moved.filter(({ ref, from, to }) => ref.startsWith('refs/heads/') && from === null && to !== null);
  const [first] = branches;
  if (first === undefined || branches.some(({ ref }) => ref === `refs/heads/${repository.defaultBranch}`)) return;
  if ((await core.git.listRefs(repository, 'refs/heads/')).size > branches.length) return;
  repository.defaultBranch = first.ref.slice('refs/heads/'.length);
  await core.git.run(repository, ['symbolic-ref', 'HEAD', first.ref]);
}

/** Emits an event for each moved branch or tag. Pull requests, checks and webhooks follow from this event. */
export async function announceMoves(
  core: Core,
  repository: Repository,
  { actor, moved }: { readonly actor: Actor; readonly moved: readonly RefChange[] },
): Promise<void> {
  const sender = accountOf(actor);
  for (const change of moved) {
    const { from, to } = change;
    if (core.faults.isLagging()) keepOlderRef(core, repository, change);
    const isForced = from !== null && to !== null && !(await core.git.isAncestor(repository, from, to));
    if (/^refs\/(heads|tags)\//.test(change.ref)) {
      repository.pushedAt = core.now();
      core.emit({ name: 'push', repository, sender, change, isForced });
    }
  }
  core.state.save();
}
