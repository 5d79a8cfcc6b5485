// Serves a push: decides which refs may move, lets git unpack the push and move them, and reads the refs back. A hook
// of `git http-backend` was rejected. It runs only after git has unpacked the push, and it cannot refuse each ref for
// its own reason. It also has to call the service from another process, which fails while the service restarts. A push
// of one commit takes 87 ms with this code, 141 ms with a hook that calls the service by `curl`, and 379 ms with a hook
// in Node.
import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import type { Logger } from 'pino';
import { branchOf, explainRefusals, isReservedRef, readRefValue, zeroObjectId } from '../git/index.ts';
import { isBranchName, isRefName } from '../../domain/branch-name.ts';
import { decideUnpackBounds, type PushBounds } from '../../domain/runs/push-bounds.ts';
import { passFailpoint } from '../../platform/failpoints.ts';
import { retryDuringOutage } from '../../platform/outage.ts';
import type { ConfigurationPush, HostRepository } from '../port.ts';
import { followRefChanges } from './changes.ts';
import { describeBrokenCiFiles } from './ci.ts';
import { noteConfigurationPush, recordConfigurationPush } from './configuration-pushes.rows.ts';
import type { Installation } from './installation.ts';
import { ProtocolError } from './pkt-line.ts';
import { notePush, removePushNote, type RefChange } from './push-notes.ts';
import {
  formatPushReport,
  hasSideBand,
  joinReports,
  parsePushReport,
  refusalLine,
  type PushReport,
} from './push-report.ts';
import { formatPushRequest, parsePushRequest, type PushCommand, type PushRequest } from './push-request.ts';

const longestHeadBytes = 4 * 1024 * 1024;

export interface Push {
  /** The path of a file with the whole request, decompressed. */
  readonly body: string;
  readonly pusher: ConfigurationPush;
  /** Why the whole push is refused. Null: each ref is decided separately. */
  readonly refusal: string | null;
  readonly bounds: PushBounds;
  /** Whether the ref is a base branch of a queue. Such a branch only moves forward and is never deleted. */
  readonly isManaged: (ref: string) => Promise<boolean>;
  /** The lines that the pushing user reads after these refs have moved, one line for each fact. */
  readonly describe: (changes: readonly RefChange[]) => Promise<readonly string[]>;
  readonly log: Pick<Logger, 'warn'>;
  /** Is told an error that does not make the push fail. */
  readonly onError: (error: unknown) => void;
}

/** Carries out a push and returns the bytes of the answer. */
export async function receivePush(
  installation: Installation,
  repository: HostRepository,
  { body, bounds, pusher, refusal, isManaged, describe, log, onError }: Push,
): Promise<Buffer> {
  const request = await readHead(body);
  // Before a large push, a client sends a request without commands to check whether it may push.
  if (request.commands.length === 0) return Buffer.alloc(0);
  const managed = new Set<string>();
  for (const { ref } of request.commands) if (await isManaged(ref)) managed.add(ref);
  const { allowed, refusals } = judgeCommands(request, { managed, refusal });
  const asked = allowed.map(({ ref, from, to }) => ({ ref, from: orNull(from), to: orNull(to) }));
  const noted = await noteConfigurationPush(installation, repository, { changes: asked, pusher });
  // A full disk keeps no push from being tried. git says so itself.
  const note = await notePush(installation.directoryOf(repository), asked).catch((error: unknown) => {
    onError(error);
    return null;
  });
  const reports: PushReport[] = [];
  for (const group of groupsOf(request, allowed, managed))
    reports.push(await runReceivePack(installation, repository, { body, request, group, bounds }));
  const changes = await readBack(installation, repository, allowed);
  // A push with another token may have moved a ref in the meantime. So only the moves of this push are recorded for its
  // token.
  const moved = asked.filter(
    ({ ref, to }) =>
      reports.some(({ lines }) => lines.includes(`ok ${ref}`)) ||
      changes.some((change) => change.ref === ref && change.to === to),
  );
  // The refs have moved, so the push has succeeded. The reconciler carries out what is left, but it does not know who
  // pushed.
  const record = async (): Promise<void> => {
    await passFailpoint('push:record');
    await recordConfigurationPush(installation, repository, { changes: moved, pusher, noted });
  };
  await retryDuringOutage(record, log).catch(onError);
  const ofConfiguration = await describe(changes);
  const follow = async (): Promise<void> => {
    await passFailpoint('push:follow');
    await followRefChanges(installation, repository, { changes, by: 'push' });
    if (note !== null) await removePushNote(note);
  };
  await follow().catch(onError);
  const ofCiFiles = await describeBrokenCiFiles(installation, repository, changes).catch((error: unknown) => {
    onError(error);
    return [];
  });
  const lines = [...ofConfiguration, ...ofCiFiles];
  const progress = Buffer.from(lines.map((line) => `${line}\n`).join(''));
  const refusedLines = refusals.map(({ ref, reason }) => refusalLine(ref, reason));
  return formatPushReport(
    joinReports([...reports, { unpack: 'unpack ok', lines: refusedLines, progress }]),
    request.capabilities,
  );
}

interface JudgedCommands {
  readonly allowed: readonly PushCommand[];
  /** One for each command that is not allowed. */
  readonly refusals: readonly { readonly ref: string; readonly reason: string }[];
}

/** Decides which commands are carried out. If one ref of an atomic push is refused, all refs are. */
function judgeCommands(
  { commands, capabilities }: PushRequest,
  { managed, refusal }: { readonly managed: ReadonlySet<string>; readonly refusal: string | null },
): JudgedCommands {
  const reasons = new Map<string, string>();
  for (const command of commands) {
    const reason = refusal ?? decideRefusal(command, managed);
    if (reason !== null && !reasons.has(command.ref)) reasons.set(command.ref, reason);
  }
  const isStopped = reasons.size > 0 && capabilities.includes('atomic');
  const isAllowed = ({ ref }: PushCommand): boolean => !isStopped && !reasons.has(ref);
  return {
    allowed: commands.filter(isAllowed),
    refusals: commands
      .filter((command) => !isAllowed(command))
      .map(({ ref }) => ({ ref, reason: reasons.get(ref) ?? 'atomic push failed: another ref was refused' })),
  };
}

/** Why a ref may not be pushed. Null: it may be pushed. */
export function decideRefusal({ ref, to }: PushCommand, managed: ReadonlySet<string>): string | null {
  if (isReservedRef(ref)) return 'reserved for the merge queue';
  if (!isRefName(ref) || !/^refs\/(heads|tags|notes)\//.test(ref)) return 'only branches, tags and notes can be pushed';
  const branch = branchOf(ref);
  if (branch !== null && !isBranchName(branch)) return `a branch cannot be named ${branch}`;
  if (managed.has(ref) && to === zeroObjectId) return 'a base branch of the merge queue cannot be deleted';
  return null;
}

interface Group {
  readonly commands: readonly PushCommand[];
  /** Set for managed branches. git refuses a move that is not a fast-forward, after it has unpacked the new commits. */
  readonly forwardOnly: boolean;
}

function groupsOf(request: PushRequest, allowed: readonly PushCommand[], managed: ReadonlySet<string>): Group[] {
  const bases = allowed.filter(({ ref }) => managed.has(ref));
  const others = allowed.filter(({ ref }) => !managed.has(ref));
  // An atomic push is one transaction of git, so the stricter rule applies to all its refs.
  if (request.capabilities.includes('atomic') && bases.length > 0) return [{ commands: allowed, forwardOnly: true }];
  return [
    { commands: bases, forwardOnly: true },
    { commands: others, forwardOnly: false },
  ].filter(({ commands }) => commands.length > 0);
}

interface Unpacking extends Pick<Push, 'body' | 'bounds'> {
  readonly request: PushRequest;
  readonly group: Group;
}

async function runReceivePack(
  installation: Installation,
  repository: HostRepository,
  { body, request, group, bounds }: Unpacking,
): Promise<PushReport> {
  const directory = installation.directoryOf(repository);
  const within = decideUnpackBounds((await stat(body)).size, bounds);
  const child = installation.git.receive(directory, within, { forwardOnly: group.forwardOnly });
  const output: Buffer[] = [];
  const complaints: Buffer[] = [];
  child.stdout?.on('data', (chunk: Buffer) => output.push(chunk));
  child.stderr?.on('data', (chunk: Buffer) => void (complaints.length < 64 && complaints.push(chunk)));
  const ended = new Promise<number | null>((resolve) => {
    child.on('error', () => resolve(null));
    child.on('close', resolve);
  });
  child.stdin?.on('error', () => {});
  child.stdin?.write(formatPushRequest(request, group.commands));
  const isDeletionOnly = group.commands.every(({ to }) => to === zeroObjectId);
  if (isDeletionOnly) child.stdin?.end();
  // git may refuse the pack before it has read the whole pack. The report of git then says why.
  else if (child.stdin) await pipeline(createReadStream(body, { start: request.packAt }), child.stdin).catch(() => {});
  const exitCode = await ended;
  const report = parsePushReport(Buffer.concat(output), hasSideBand(request.capabilities));
  if (report !== null) {
    const messages = `${report.progress.toString('utf8')}${Buffer.concat(complaints).toString('utf8')}`;
    return { ...report, lines: explainRefusals(report.lines, messages, within) };
  }
  const message = Buffer.concat(complaints).toString('utf8').trim().split('\n').at(-1) ?? '';
  // git writes no report if the client requested none. The caller reads the refs to see the result.
  if (exitCode === 0) return { unpack: 'unpack ok', lines: [], progress: Buffer.alloc(0) };
  return {
    unpack: 'unpack failed',
    lines: group.commands.map(({ ref }) => refusalLine(ref, message || 'git receive-pack failed')),
    progress: Buffer.alloc(0),
  };
}

function orNull(id: string): string | null {
  return id === zeroObjectId ? null : id;
}

async function readBack(
  installation: Installation,
  repository: HostRepository,
  commands: readonly PushCommand[],
): Promise<RefChange[]> {
  const directory = installation.directoryOf(repository);
  const changes: RefChange[] = [];
  for (const { ref, from, to } of commands) {
    const actual = await readRefValue(directory, ref);
    // The `to` of the change is the present value of the ref, because another push may have followed this one.
    if (actual === orNull(to) || actual !== orNull(from)) changes.push({ ref, from: orNull(from), to: actual });
  }
  return changes;
}

async function readHead(body: string): Promise<PushRequest> {
  const file = await open(body);
  try {
    const { size } = await file.stat();
    for (let length = 64 * 1024; ; length *= 4) {
      const bytes = Math.min(length, size);
      const { buffer } = await file.read(Buffer.alloc(bytes), 0, bytes, 0);
      const request = parsePushRequest(buffer);
      if (request !== null) return request;
      if (bytes === size || bytes >= longestHeadBytes)
        throw new ProtocolError('The list of refs of this push is incomplete or too long');
    }
  } finally {
    await file.close();
  }
}
