// Runs proofs/verify.py on the exported proofs as a user does: on a clone and a file, without the service. The script
// must find changes in the file and in the clone.
import { execFile } from 'node:child_process';
import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { exportProofs, type ProofFile, writeProofFile } from '../../src/modules/proofs/index.ts';
import { canonical, digestProof, type ProofBody } from '../../src/modules/queue/landing/proof.ts';
import { findRepository } from '../../src/modules/repositories/index.ts';
import { projectRoot } from '../../src/platform/project-root.ts';
import { parallel, world, type World } from '../support/world.ts';
import { ask, speculativeWorld, targetedRules } from './speculation.ts';

interface Exported {
  readonly file: ProofFile;
  readonly clone: string;
  readonly folder: string;
}

const folders: string[] = [];
let landed: Exported;
beforeAll(async () => {
  // Commits of several pull requests, merged by three strategies.
  await using w = await world({
    configuration: `${parallel({ builds: 2, batch: 2 })}merge_strategy:\n  override_labels: {merge: as-merge, rebase: as-they-are}\n`,
  });
  const numbers: number[] = [];
  for (const [at, name] of ['one', 'two', 'three', 'four'].entries()) {
    await w.commit(name, { [`${name}.txt`]: 'first\n' }, { from: 'main' });
    const number = await w.open(name, { [`${name}.txt`]: `second\n` }, { from: name });
    if (at > 1) await w.host.label(number, at === 2 ? 'as-merge' : 'as-they-are', true);
    numbers.push(number);
  }
  await w.service.drain();
  await w.commit('main', { 'outside.txt': 'not by the queue\n' });
  await w.queue(...numbers);
  await w.settled(...numbers);
  landed = await exported(w);
});
afterAll(async () => {
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
});

/** Makes what a user needs to check proofs: a clone of the repository, and the file of proofs. */
async function exported(w: World): Promise<Exported> {
  const repository = await findRepository(w.ctx, w.repository);
  if (repository === null) throw new Error('The world has no repository.');
  const text = await readText(writeProofFile(await exportProofs(w.ctx, w.secrets, repository)));
  const folder = await mkdtemp(join(tmpdir(), 'interlock-proofs-'));
  folders.push(folder);
  const clone = join(folder, 'clone');
  await git(folder, 'clone', '-q', '--single-branch', '--branch', 'main', `file://${w.gitDir}`, clone);
  return { file: JSON.parse(text) as ProofFile, clone, folder };
}

async function git(folder: string, ...args: string[]): Promise<string> {
  return await new Promise((resolve, reject) => {
    execFile('git', ['-c', 'user.name=x', '-c', 'user.email=x@y.test', ...args], { cwd: folder }, (error, stdout) =>
      error ? reject(error) : resolve(stdout.trim()),
    );
  });
}

async function verify({ file, clone, folder }: Exported, ...args: string[]): Promise<{ code: number; said: string }> {
  const path = join(folder, 'proofs.json');
  await writeFile(path, JSON.stringify(file));
  return await new Promise((resolve) => {
    execFile('python3', [join(projectRoot, 'proofs', 'verify.py'), path, clone, ...args], (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), said: stdout + stderr }),
    );
  });
}

type Branch = ProofFile['branches'][number];
type Proof = Branch['proofs'][number];

function withBranch(file: ProofFile, change: (branch: Branch) => Partial<Branch>): ProofFile {
  return { ...file, branches: file.branches.map((branch) => ({ ...branch, ...change(branch) })) };
}

/** Returns the file with a change in one proof. The digest of the proof stays the same. */
function changed(file: ProofFile, at: number, change: (body: ProofBody) => object): ProofFile {
  const changeOne = (proof: Proof, index: number): Proof =>
    index === at ? { ...proof, body: { ...proof.body, ...change(proof.body) } } : proof;
  return withBranch(file, ({ proofs }) => ({ proofs: proofs.map(changeOne) }));
}

/** Computes all digests again, as if the proofs had always had these bodies. */
function chained(file: ProofFile): ProofFile {
  return withBranch(file, (branch) => {
    const proofs: Proof[] = [];
    for (const proof of branch.proofs) {
      const body = { ...proof.body, previous: proofs.at(-1)?.digest ?? null };
      proofs.push({ ...proof, body, digest: digestProof(body) });
    }
    return { proofs, statement: { ...branch.statement, proofs: proofs.length, last: proofs.at(-1)?.digest ?? null } };
  });
}

/** Signs everything with the key of somebody else, and names that key in the file. */
function signedAgain(file: ProofFile): ProofFile {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const key = Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url').toString('hex');
  const signed = (text: string): { key: string; signature: string } => ({
    key,
    signature: sign(null, Buffer.from(text), privateKey).toString('base64'),
  });
  const again = withBranch(file, ({ proofs, statement }) => ({
    ...signed(`interlock branch 1\n${canonical(statement)}\n`),
    proofs: proofs.map((proof) => ({ ...proof, ...signed(`interlock proof 1\n${proof.digest}\n`) })),
  }));
  return { ...again, keys: [key] };
}

it('derives each landing again from a clone and the file, and counts commits that were pushed past the queue', async () => {
  const { code, said } = await verify(landed, '--key', landed.file.keys[0] ?? '');
  expect(said).toContain('Every landing was derived again.');
  expect(code, said).toBe(0);
  const [main] = landed.file.branches;
  expect(main?.proofs.flatMap(({ body }) => body.members.map(({ number }) => number)).sort()).toEqual([1, 2, 3, 4]);
  expect(said).toContain(`${main?.proofs.length} proofs, 1 commits that were pushed past the queue`);
  // The clone is unchanged, because the script merges elsewhere.
  expect(await git(landed.clone, 'fsck', '--unreachable', '--no-reflogs')).toBe('');
});

it('derives landings from a partial clone, which fetches the files that it lacks', async () => {
  await using w = await world({ configuration: parallel({ builds: 1, batch: 2 }) });
  const lines = Array.from({ length: 20 }, (_, nth) => `${nth}\n`);
  await w.commit('main', { 'a.txt': lines.join('') });
  const numbers = [
    await w.open('one', { 'a.txt': ['one\n', ...lines.slice(1)].join('') }),
    await w.open('two', { 'a.txt': [...lines.slice(0, -1), 'two\n'].join('') }),
  ];
  await w.queue(...numbers);
  await w.settled(...numbers);
  const { file, clone, folder } = await exported(w);
  await git(w.gitDir, 'config', 'uploadpack.allowFilter', 'true');
  await git(w.gitDir, 'config', 'uploadpack.allowAnySHA1InWant', 'true');
  await rm(clone, { recursive: true });
  await git(folder, 'clone', '-q', '--no-checkout', '--filter=blob:none', `file://${w.gitDir}`, clone);
  const { code, said } = await verify({ file, clone, folder });
  expect(said).toContain('Every landing was derived again.');
  expect(code, said).toBe(0);
});

it('merges as the service does, whatever the attributes of the branch say', async () => {
  await using w = await world({ configuration: parallel({ builds: 1, batch: 2 }) });
  const lines = Array.from({ length: 20 }, (_, nth) => `${nth}\n`);
  const withFirst = (line: string): string => [line, ...lines.slice(1)].join('');
  const withLast = (line: string): string => [...lines.slice(0, -1), line].join('');
  await w.commit('main', { '.gitattributes': '*.lock -merge\n', 'a.lock': lines.join('') });
  const numbers = [
    await w.open('one', { 'a.lock': withFirst('one\n') }),
    await w.open('two', { 'a.lock': withLast('two\n') }),
  ];
  await w.queue(...numbers);
  await w.settled(...numbers);
  expect(await w.landed()).toHaveLength(2);
  const derived = await verify(await exported(w));
  expect(derived.code, derived.said).toBe(0);
});

it('derives landings by linear commits', async () => {
  await using w = await world({
    configuration: `${parallel({ builds: 1, batch: 3 })}merge_strategy:\n  name: rebase\n  batch_commit: linear\n`,
  });
  for (const name of ['one', 'two']) {
    await w.commit(name, { [`${name}.txt`]: 'first\n' }, { from: 'main' });
    await w.open(name, { [`${name}.txt`]: 'second\n' }, { from: name });
  }
  await w.queue(1, 2);
  await w.settled(1, 2);
  const linear = await exported(w);
  const derived = await verify(linear);
  expect(derived.code, derived.said).toBe(0);
  // A statement that claims that the queue began to manage the branch in the middle of the landing.
  const file = withBranch(linear.file, ({ statement, proofs }) => ({
    statement: { ...statement, managedFrom: proofs[0]?.body.members[0]?.commit ?? '' },
  }));
  expect((await verify({ ...linear, file: signedAgain(file) })).said).toContain('its first parent is not');
});

it('contains the history of a pull request that once had a file of more than 64 MB', async () => {
  await using w = await world({ configuration: parallel({ builds: 1 }) });
  await w.commit('big', { 'big.txt': randomBytes(66 * 1024 * 1024).toString('base64') }, { from: 'main' });
  const number = await w.open('big', { 'big.txt': 'small\n' }, { from: 'big' });
  await w.queue(number);
  await w.settled(number);
  const { code, said } = await verify(await exported(w));
  expect(code, said).toBe(0);
});

it('derives a landing whose parts were tested separately', async () => {
  await using lanes = await speculativeWorld(targetedRules);
  const slow = await ask(lanes, 'one', ['api'], { waits: 'one\n' });
  const fast = await ask(lanes, 'two', ['web']);
  await lanes.settled(fast);
  await lanes.release();
  await lanes.settled(slow);
  const composed = await exported(lanes);
  expect(composed.file.branches[0]?.proofs.map(({ body }) => body.grade)).toEqual(['exact', 'composed']);
  const derived = await verify(composed);
  expect(derived.code, derived.said).toBe(0);
  const file = changed(composed.file, 1, ({ members: [only] }) => ({
    members: [{ ...only, targets: ['api', 'web'] }],
  }));
  expect((await verify({ ...composed, file: signedAgain(chained(file)) })).said).toContain(
    'its parts were not tested with all changes that affect it',
  );
});

const lie = (body: ProofBody): object => ({
  evidence: body.evidence.map((evidence) => ({
    ...evidence,
    checks: evidence.checks.map((check) => ({ ...check, conclusion: 'failure' })),
  })),
});

const untested = ({ evidence }: ProofBody): object => ({
  evidence: evidence.map((each) => ({ ...each, checks: [] })),
  gate: [{ name: 'test', acceptableStatuses: ['success', 'missing'] }],
});

const tampered: readonly (readonly [string, (file: ProofFile) => ProofFile, string])[] = [
  ['a changed check result', (file) => changed(file, 0, lie), 'its proof was changed'],
  [
    'a changed check result with new digests',
    (file) => chained(changed(file, 0, lie)),
    'its proof is not signed by an accepted key',
  ],
  ['a red result that another key signed', (file) => signedAgain(chained(changed(file, 0, lie))), 'is not green'],
  [
    'evidence without a check, signed by another key',
    (file) => signedAgain(chained(changed(file, 0, untested))),
    'is not green',
  ],
  [
    'a changed tree, signed by another key',
    (file) => signedAgain(chained(changed(file, 0, () => ({ tree: 'f'.repeat(40) })))),
    'but its proof says ffff',
  ],
  [
    'changed members, signed by another key',
    (file) => signedAgain(chained(changed(file, 0, ({ members }) => ({ members: members.slice(0, 1) })))),
    'merging its heads again gives the tree',
  ],
  [
    'a changed grade, signed by another key',
    (file) => signedAgain(chained(changed(file, 0, () => ({ grade: 'composed' })))),
    'it is graded composed, but its whole tree was tested',
  ],
  [
    'a proof that is missing at the beginning',
    (file) => withBranch(file, ({ proofs }) => ({ proofs: proofs.slice(1) })),
    'its proof does not follow the proof before it',
  ],
  [
    'a proof that is missing at the end',
    (file) => withBranch(file, ({ proofs }) => ({ proofs: proofs.slice(0, -1) })),
    'The newest proofs are missing',
  ],
  [
    'a pull request that lands twice, signed by another key',
    (file) => signedAgain(chained(withBranch(file, ({ proofs }) => ({ proofs: [...proofs, ...proofs] })))),
    'landed twice',
  ],
  [
    'a changed signature',
    (file) =>
      withBranch(file, ({ proofs }) => ({
        proofs: proofs.map((proof) => ({ ...proof, signature: proofs.at(-1)?.signature ?? null })),
      })),
    'its proof is not signed by an accepted key',
  ],
  [
    'a changed statement about the branch',
    (file) => withBranch(file, ({ statement }) => ({ statement: { ...statement, at: '2020-01-01T00:00:00.000Z' } })),
    'The statement about the branch is not signed',
  ],
  [
    'an option of git in place of a commit',
    (file) => changed(file, 0, () => ({ firstParent: '--output=/tmp/owned' })),
    'in place of a commit',
  ],
];

it.each(tampered)('finds %s', async (_what, tamper, finding) => {
  const { code, said } = await verify({ ...landed, file: tamper(landed.file) });
  expect(said).toContain(finding);
  expect(code).toBe(1);
});

it('accepts only the key that the user names, whichever key the file names', async () => {
  const file = signedAgain(landed.file);
  expect((await verify({ ...landed, file })).code).toBe(0);
  const { code, said } = await verify({ ...landed, file }, '--key', landed.file.keys[0] ?? '');
  expect(said).toContain('is not signed by an accepted key');
  expect(code).toBe(1);
});

it('finds a landing that was replaced in the repository', async () => {
  const clone = join(landed.folder, 'rewritten');
  await cp(landed.clone, clone, { recursive: true });
  await writeFile(join(clone, 'one.txt'), 'of somebody else\n');
  await git(clone, 'commit', '-q', '-a', '--amend', '-m', 'Nothing happened');
  await git(clone, 'update-ref', 'refs/remotes/origin/main', 'HEAD');
  const { code, said } = await verify({ ...landed, clone });
  expect(said).toContain('The branch does not lead from');
  expect(code).toBe(1);
});

it('refuses a file without branches', async () => {
  const { code, said } = await verify({ ...landed, file: { ...landed.file, branches: [] } });
  expect(said).toContain('has no branch, so there is nothing to derive');
  expect(code).toBe(1);
});

it('says how many commits of the clone are later than the file', async () => {
  const clone = join(landed.folder, 'ahead');
  await cp(landed.clone, clone, { recursive: true });
  for (const message of ['one', 'two']) await git(clone, 'commit', '-q', '--allow-empty', '-m', message);
  await git(clone, 'update-ref', 'refs/remotes/origin/main', 'HEAD');
  const { code, said } = await verify({ ...landed, clone });
  expect(said).toContain('1 commits that were pushed past the queue, and 2 later commits that the file does not know');
  expect(code, said).toBe(0);
});

it('does not sign a proof that was changed before its signature, and keeps existing signatures', async () => {
  await using w = await world();
  const numbers = [await w.open('one', { 'one.txt': 'x\n' }), await w.open('two', { 'two.txt': 'x\n' })];
  await w.queue(...numbers);
  await w.settled(...numbers);
  await w.rows(`update proof set body = body || '{"grade": "same_tree"}' where id = (select max(id) from proof)`);
  const first = await exported(w);
  const signatures = ({ file }: Exported): (string | null)[] =>
    file.branches.flatMap(({ proofs }) => proofs.map(({ signature }) => signature));
  expect(signatures(first)).toEqual([expect.any(String), null]);
  expect((await verify(first)).said).toContain('its proof was changed');
  await w.rows('update proof set digest = $1 where id = (select max(id) from proof)', [
    createHash('sha256').digest('hex'),
  ]);
  expect(signatures(await exported(w))).toEqual(signatures(first));
});
