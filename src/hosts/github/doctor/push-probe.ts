// Tries pushes to GitHub and undoes them at once. The probe creates a branch and a ref in one push. It tries to move
// both with a wrong expected value for one of them. Then it deletes both. The names of the refs contain the instant of
// the probe, so that the next doctor finds and deletes the refs of a killed doctor.
import * as git from '../../git/index.ts';
import { HostUnavailable, type HostRepository } from '../../port.ts';
import type { Mirrors } from '../mirrors.ts';
import { readPushAnswer } from '../push-answers.ts';
import type { RemoteRef } from '../remote-refs.ts';
import type { PushProbe } from './probes.ts';

const refsBelow = 'refs/interlock/probe/';
const branchesWith = 'refs/heads/mq-tmp-probe-';
/** A probe takes seconds, so older refs belong to a doctor that was killed. */
const leftAfterMs = 60_000;
const timeoutMs = 60_000;

interface Probing {
  readonly mirrors: Mirrors;
  readonly repository: HostRepository;
}

interface Push {
  readonly ref: string;
  /** Null: the ref must not exist. */
  readonly expected: string | null;
  /** Null: the ref is deleted. */
  readonly to: string | null;
}

/** `tip`: a commit that GitHub has. */
export async function probePushes(probing: Probing, tip: string, now: number): Promise<PushProbe> {
  const { mirrors, repository } = probing;
  const directory = await mirrors.fetchMissing(repository, [tip]);
  const commit = await makeCommit(mirrors, directory, { tip, now });
  const [branch, ref] = [`${branchesWith}${now}`, `${refsBelow}${now}`];
  const create = (name: string): Push => ({ ref: name, expected: null, to: commit });
  const isDone = (madeAt: number): boolean => madeAt === now || madeAt < now - leftAfterMs;
  let left: readonly string[] | null = null;
  try {
    const both = await push(probing, [create(branch), create(ref)]);
    if (both !== 'moved') {
      const branchAlone = await push(probing, [create(branch)]);
      const refAlone = await push(probing, [create(ref)]);
      left = await removeProbes(probing, isDone);
      return { both, branchAlone, refAlone, holdsLeases: null, left };
    }
    const move = (name: string, expected: string): Push => ({ ref: name, expected, to: tip });
    await push(probing, [move(branch, commit), move(ref, tip)]);
    const probes = await readProbes(probing);
    const holdsLeases = [branch, ref].every((name) => probes.find((each) => each.ref === name)?.commit === commit);
    left = await removeProbes(probing, isDone);
    return { both, branchAlone: null, refAlone: null, holdsLeases, left };
  } finally {
    // The refs of the probe are deleted even after a failure.
    if (left === null) await removeProbes(probing, isDone).catch(() => []);
  }
}

/** Makes a commit with the files of the tip. GitHub runs no workflow on it, because its message says `[skip ci]`. */
async function makeCommit(
  mirrors: Mirrors,
  directory: string,
  { tip, now }: { readonly tip: string; readonly now: number },
): Promise<string> {
  const raw = await git.readCommit(mirrors.git, directory, tip);
  if (raw === null) throw new HostUnavailable(`The commit ${tip} could not be read`);
  const who = `Interlock <interlock@users.noreply.github.com> ${Math.floor(now / 1000)} +0000`;
  const message = 'Try a push [skip ci]\n\nnpm run doctor deletes this commit again.\n';
  return await git.writeObject(
    directory,
    'commit',
    `tree ${raw.tree}\nparent ${tip}\nauthor ${who}\ncommitter ${who}\n\n${message}`,
  );
}

async function push({ mirrors, repository }: Probing, refs: readonly Push[]): Promise<'moved' | { refusal: string }> {
  const leases = refs.map(({ ref, expected }) => `--force-with-lease=${ref}:${expected ?? ''}`);
  const specs = refs.map(({ ref, to }) => `${to ?? ''}:${ref}`);
  // A ref that is already deleted must not prevent the other deletions.
  const atomic = refs.some(({ to }) => to !== null) ? ['--atomic'] : [];
  const end = await mirrors.runWithRemote(
    repository,
    (url) => ['push', '--porcelain', '--no-verify', ...atomic, ...leases, url, ...specs],
    { accept: [0, 1], timeoutMs },
  );
  const answer = readPushAnswer({ ...end, stdout: end.stdout.toString('utf8') });
  return answer.kind === 'done' ? 'moved' : { refusal: answer.message };
}

interface Probe extends RemoteRef {
  readonly madeAt: number;
}

async function readProbes({ mirrors, repository }: Probing): Promise<readonly Probe[]> {
  const refs = await mirrors.readRefs(repository, [refsBelow, 'refs/heads/']);
  return refs.flatMap(({ ref, commit }) => {
    const start = [refsBelow, branchesWith].find((each) => ref.startsWith(each));
    const madeAt = start === undefined ? Number.NaN : Number(ref.slice(start.length));
    return Number.isNaN(madeAt) ? [] : [{ ref, commit, madeAt }];
  });
}

/** Deletes the refs of probes that are done. Returns the refs that could not be deleted. */
async function removeProbes(probing: Probing, isDone: (madeAt: number) => boolean): Promise<readonly string[]> {
  const done = (await readProbes(probing)).filter(({ madeAt }) => isDone(madeAt));
  if (done.length === 0) return [];
  await push(
    probing,
    done.map(({ ref, commit }) => ({ ref, expected: commit, to: null })),
  );
  const there = new Set((await readProbes(probing)).map(({ ref }) => ref));
  return done.filter(({ ref }) => there.has(ref)).map(({ ref }) => ref);
}
