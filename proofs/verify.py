#!/usr/bin/env python3
"""Derives every landing of a repository again from a clone and a file of proofs, without Interlock.

  git clone <address> shop
  python3 verify.py proofs.json shop --key <public key>

Needs Python 3.8 and git 2.38, nothing else. Does not change the clone. Exits with 1 if a check fails.
docs/proofs.md says what is checked.
"""
import argparse, base64, hashlib, json, os, re, subprocess, sys, tempfile

# Ed25519 (RFC 8032, section 6).
P, L = 2**255 - 19, 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P


def add(p, q):
    a, b = (p[1] - p[0]) * (q[1] - q[0]) % P, (p[1] + p[0]) * (q[1] + q[0]) % P
    c, d = 2 * p[3] * q[3] * D % P, 2 * p[2] * q[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


def multiply(s, p):
    q = (0, 1, 1, 0)
    while s > 0:
        q, p, s = (add(q, p) if s & 1 else q), add(p, p), s >> 1
    return q


def decode_point(data):
    y = int.from_bytes(data, 'little')
    sign, y = y >> 255, y & ((1 << 255) - 1)
    x2 = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(x2, (P + 3) // 8, P)
    x = x if x * x % P == x2 else x * pow(2, (P - 1) // 4, P) % P
    if y >= P or x * x % P != x2 or (x == 0 and sign):
        return None
    x = P - x if x & 1 != sign else x
    return x, y, 1, x * y % P


BASE = decode_point((4 * pow(5, P - 2, P) % P).to_bytes(32, 'little'))


def is_signed(key, signature, text):
    public, signed = bytes.fromhex(key), base64.b64decode(signature)
    a, r, s = decode_point(public), decode_point(signed[:32]), int.from_bytes(signed[32:], 'little')
    if len(public) != 32 or len(signed) != 64 or a is None or r is None or s >= L:
        return False
    h = int.from_bytes(hashlib.sha512(signed[:32] + public + text.encode()).digest(), 'little') % L
    p, q = multiply(s, BASE), add(r, multiply(h, a))
    return (p[0] * q[2] - q[0] * p[2]) % P == 0 and (p[1] * q[2] - q[1] * p[2]) % P == 0


def canonical(value):
    return json.dumps(value, sort_keys=True, separators=(',', ':'), ensure_ascii=False)


def assert_ids(value, key=None):
    """Ids become arguments of git, so every id must be a hash."""
    if isinstance(value, dict):
        for name, inner in value.items():
            assert_ids(inner, name)
    elif isinstance(value, list):
        for inner in value:
            assert_ids(inner, key)
    elif key in ('commit', 'tree', 'head', 'belowHead', 'base', 'firstParent', 'managedFrom', 'tip') and value is not None:
        if not re.fullmatch('[0-9a-f]{40}([0-9a-f]{24})?', str(value)):
            sys.exit(f'The file has {value!r} in place of a commit.')


class Clone:
    """Reads a clone. New objects are written to the folder `scratch`, not to the clone."""

    def __init__(self, path, scratch):
        self.path, self.commits = path, {}
        objects = self.git('rev-parse', '--path-format=absolute', '--git-path', 'objects')
        self.env.update(GIT_OBJECT_DIRECTORY=scratch, GIT_ALTERNATE_OBJECT_DIRECTORIES=objects)

    env = dict(os.environ, GIT_CONFIG_NOSYSTEM='1', GIT_CONFIG_GLOBAL=os.devnull, GIT_AUTHOR_DATE='@0 +0000',
               GIT_COMMITTER_DATE='@0 +0000', LC_ALL='C', GIT_NO_REPLACE_OBJECTS='1',
               **{f'GIT_{who}_{what}': 'verify' for who in ('AUTHOR', 'COMMITTER') for what in ('NAME', 'EMAIL')})

    def git(self, *args, data=None, accept=(0,)):
        result = subprocess.run(['git', '-C', self.path, *args], input=data, env=self.env, capture_output=True)
        if result.returncode not in accept:
            raise LookupError(f'git {args[0]}: {result.stderr.decode(errors="replace").strip()}')
        return result.stdout.decode(errors='replace').strip() if result.returncode == 0 else None

    def commit(self, name):
        """Returns (tree, parents) of a commit. None: the clone does not have the commit."""
        if name not in self.commits:
            shown = self.git('rev-list', '--no-walk', '--no-commit-header', '--format=%T %P', name, '--', accept=(0, 128))
            self.commits[name] = shown and (shown.split()[0], shown.split()[1:])
        return self.commits[name]

    def is_ancestor(self, ancestor, commit):
        return self.git('merge-base', '--is-ancestor', ancestor, commit, accept=(0, 1)) is not None

    def make_commit(self, tree, parents):
        return self.git('commit-tree', tree, *[word for parent in parents for word in ('-p', parent)], data=b'verify')

    def merge(self, ours, theirs):
        merged = self.git('merge-tree', '--write-tree', '--no-messages', ours, theirs, accept=(0, 1))
        if merged is None:
            raise LookupError(f'{ours} and {theirs} conflict')
        return merged.split()[0]

    def with_below_head(self, tip, below, head):
        """Makes a commit with the tree of the tip. If the head is merged into this commit, only the changes after `below` are merged."""
        if below is None or self.is_ancestor(tip, head) or self.is_ancestor(below, tip):
            return tip
        return self.make_commit(self.commit(tip)[0], [tip, below])

    def rebase(self, chain, head, below):
        own = self.git('rev-list', '--first-parent', '--reverse', head, '^' + chain, *(['^' + below] if below else []))
        for commit in own.split():
            (tree, parents), tip = self.commit(commit), self.commit(chain)[0]
            if parents[:1] != [chain]:
                tree = self.merge(self.make_commit(tip, parents[:1]) if parents else chain, commit)
            if tree != tip:
                chain = self.make_commit(tree, [chain])
        return chain

    def compose(self, parent, members, strategy):
        """Returns the tree after the members were merged onto the parent, one after the other."""
        chain = joined = parent
        for at, member in enumerate(members):
            head, below = member['head'], member.get('belowHead')
            how = member.get('strategy', strategy)
            if how == 'rebase':
                joined = self.rebase(chain, head, below)
            else:
                tree = self.merge(self.with_below_head(joined, below, head), head)
                joined = self.make_commit(tree, [chain, head] if how == 'merge' else [chain])
            if not member.get('joinsNext') or at == len(members) - 1:
                chain = joined
        return self.commit(chain)[0]


def is_green(checks, gate):
    newest = {}
    for check in checks:
        if not check['name'].startswith('interlock/'):
            known = newest.get(check['name'])
            if known is None or check['attempt'] > known['attempt']:
                newest[check['name']] = check
    if not gate:
        return bool(newest) and all(c['conclusion'] in ('success', 'skipped', 'neutral') for c in newest.values())
    for required in gate:
        glob = '.*'.join(map(re.escape, required['name'].split('*')))
        found = [c for c in newest.values() if re.fullmatch(glob, c['name'], re.DOTALL)]
        accepted = required['acceptableStatuses']
        if any(c['conclusion'] not in accepted for c in found):
            return False
        if not found and ('missing' not in accepted or required.get('isAwaited')):
            return False
    return True


def is_covered(member, before, members, part):
    """Whether a part contains the member and, in the same order, each earlier change that overlaps it, and nothing else."""
    key = lambda change: (change['number'], change['head'])
    index = {key(change): at for at, change in enumerate(part)}
    order, at = before + members, len(before) + members.index(member)
    if key(member) not in index:
        return False
    for here, change in enumerate(order):
        there, a, b = index.get(key(change)), member.get('targets'), change.get('targets')
        in_order = here > at if there is None else (here < at) == (there < index[key(member)])
        if here != at and not in_order and (a is None or b is None or set(a) & set(b)):
            return False
    return sum(key(change) in index for change in order) == len(part) and member.get('targets') is not None


class Branch:
    def __init__(self, clone, branch, keys):
        self.clone, self.proofs, self.failures = clone, branch['proofs'], []
        self.statement, self.branch, self.keys = branch['statement'], branch, keys

    def expect(self, condition, failure):
        if not condition:
            self.failures.append(failure)

    def is_accepted(self, signed, text):
        return signed['key'] in self.keys and bool(signed['signature']) and is_signed(signed['key'], signed['signature'], text)

    def verify(self):
        statement = self.statement
        self.expect(self.is_accepted(self.branch, f'interlock branch 1\n{canonical(statement)}\n'), 'The statement about the branch is not signed by an accepted key')
        last = self.proofs[-1]['digest'] if self.proofs else None
        self.expect((statement['proofs'], statement['last']) == (len(self.proofs), last), 'The newest proofs are missing')
        line, previous, numbers = self.read_line(), None, set()
        index = {commit: at for at, (commit, _, _) in enumerate(line)}
        inner = {c for p in self.proofs if p['body']['batchCommit'] == 'linear' and p['commit'] in index
                 for c, _, _ in line[index.get(p['body']['firstParent'], -1) + 1:index[p['commit']]]}
        tips, bodies = [entry for entry in line if entry[0] not in inner], {p['commit']: p['body'] for p in self.proofs}
        for proof in self.proofs:
            commit, body, failures_before = proof['commit'], proof['body'], len(self.failures)
            self.expect(hashlib.sha256(canonical(body).encode()).hexdigest() == proof['digest'], f'{commit}: its proof was changed after it was written')
            self.expect(self.is_accepted(proof, f'interlock proof 1\n{proof["digest"]}\n'), f'{commit}: its proof is not signed by an accepted key')
            self.expect(body['previous'] == previous, f'{commit}: its proof does not follow the proof before it')
            self.expect(body['commit'] == commit, f'{commit}: its proof is about {body["commit"]}')
            for member in body['members']:
                self.expect(member['number'] not in numbers, f'{commit}: #{member["number"]} landed twice')
                numbers.add(member['number'])
            previous = proof['digest']
            if commit not in index:
                self.expect(False, f'{commit} landed, but is not on the first-parent line of {statement["baseBranch"]}')
            elif failures_before == len(self.failures):
                try:
                    self.derive(line[index[commit]], body)
                    if any('base' in evidence for evidence in body['evidence']):
                        self.derive_parts(tips, bodies, commit, body)
                except LookupError as error:
                    self.expect(False, f'{commit} cannot be derived again: {error}')
        return len(tips), sum(commit not in bodies for commit, _, _ in tips)

    def read_line(self):
        """Returns (commit, tree, first parent) of each commit since the queue began to manage the branch, the oldest first."""
        statement = self.statement
        if statement['tip'] is None:
            return []
        refs = [f'refs/remotes/origin/{statement["baseBranch"]}', f'refs/heads/{statement["baseBranch"]}']
        ref = next((ref for ref in refs if self.clone.commit(ref)), None)
        try:
            commits = self.clone.git('rev-list', '--first-parent', ref or refs[0]).split()
            self.expect(statement['tip'] in commits, f'The branch does not contain {statement["tip"]}, its tip when the file was written')
            shown = self.clone.git('log', '--first-parent', '--reverse', '--format=%H %T %P', statement['tip'], '^' + statement['managedFrom'])
        except LookupError as error:
            self.expect(False, str(error))
            return []
        return [tuple((row.split() + [''])[:3]) for row in shown.splitlines()]

    def derive(self, entry, body):
        commit, tree, parent = entry
        self.expect(tree == body['tree'], f'{commit}: its tree is {tree}, but its proof says {body["tree"]}')
        if body['batchCommit'] != 'linear':
            self.expect(parent == body['firstParent'], f'{commit}: its first parent is {parent}, but its proof says {body["firstParent"]}')
        merged = self.clone.compose(body['firstParent'], body['members'], body['strategy'])
        self.expect(merged == tree, f'{commit}: merging its heads again gives the tree {merged}')
        if body['grade'] == 'unvalidated':
            return self.expect(body['exceptionBy'] is not None, f'{commit}: it landed without validation, but its proof names no person or setting that skipped it')
        parts = [evidence for evidence in body['evidence'] if 'base' in evidence]
        self.expect(bool(body['evidence']), f'{commit}: its proof has no evidence')
        self.expect(bool(parts) == (body['grade'] == 'composed') or body['grade'] == 'host_merged', f'{commit}: it is graded {body["grade"]}, but {"its parts were" if parts else "its whole tree was"} tested')
        for evidence in body['evidence']:
            tested = self.clone.commit(evidence['commit'])
            wanted = evidence['tree'] if 'base' in evidence else tree
            self.expect(tested is not None and tested[0] == wanted == evidence['tree'], f'{commit}: the tested commit {evidence["commit"]} has another tree or is missing')
            self.expect(is_green(evidence['checks'], body['gate']), f'{commit}: the tested commit {evidence["commit"]} is not green')
            self.expect(body['grade'] != 'exact' or evidence['commit'] == commit, f'{commit}: it is graded exact, but {evidence["commit"]} was tested')
        for gate in body.get('finalGates', []):
            self.expect(body['grade'] == 'host_merged' or gate['commit'] == commit, f'{commit}: the final gate {gate["workflow"]} ran on {gate["commit"]}')

    def derive_parts(self, tips, bodies, commit, body):
        position = {self.statement['managedFrom']: 0, **{tip: at + 1 for at, (tip, _, _) in enumerate(tips)}}
        parts = []
        for evidence in body['evidence']:
            start, end, content = position.get(evidence['base']), position.get(body['firstParent']), evidence['content']
            self.expect(start is not None and end is not None and start <= end, f'{commit}: its part {evidence["commit"]} was built on {evidence["base"]}, which was not the tip before')
            merged = self.clone.compose(evidence['base'], content, body['strategy'])
            self.expect(merged == evidence['tree'], f'{commit}: merging the heads of its part {evidence["commit"]} again gives the tree {merged}')
            landed = [bodies.get(tip) for tip, _, _ in tips[start or 0:end or 0]]
            if None not in landed:
                parts.append(([member for landing in landed for member in landing['members']], content))
        covered = all(any(is_covered(member, before, body['members'], part) for before, part in parts) for member in body['members'])
        self.expect(covered, f'{commit}: its parts were not tested with all changes that affect it')


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('file', help='the exported proofs')
    parser.add_argument('clone', help='the folder of the clone')
    parser.add_argument('--key', action='append', help='a public key that you got from the service; may be repeated')
    options = parser.parse_args()
    with open(options.file, encoding='utf-8') as file, tempfile.TemporaryDirectory() as scratch:
        exported, failures = json.load(file), 0
        if exported['format'] != 'interlock proofs 1':
            sys.exit(f'{options.file} has a format that this script does not know: {exported["format"]}')
        assert_ids(exported['branches'])
        clone = Clone(options.clone, scratch)
        for pack in exported['packs']:
            clone.git('index-pack', '--stdin', '--fix-thin', data=base64.b64decode(pack))
        keys = options.key or exported['keys']
        print('Accepted keys: ' + ', '.join(keys) + ('' if options.key else ' (from the file: compare them with the service, or name a key by --key)'))
        for exported_branch in exported['branches']:
            branch = Branch(clone, exported_branch, keys)
            commits, external = branch.verify()
            failures += len(branch.failures)
            print(f'{branch.statement["baseBranch"]}: {commits} landings, {len(branch.proofs)} proofs, {external} commits that were pushed past the queue')
            for failure in branch.failures:
                print(f'  {failure}')
        print('Every landing was derived again.' if failures == 0 else f'Failures: {failures}.')
        return 0 if failures == 0 else 1


if __name__ == '__main__':
    sys.exit(main())
