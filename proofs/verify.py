#!/usr/bin/env python3
"""Derives every landing of a repository again from a clone and a file of proofs, without Interlock.

  git clone <address> shop
  python3 verify.py proofs.json shop --key <public key>

Needs Python 3.8 and git 2.38, nothing else. Does not change the clone. Exits with 1 if a check fails.
docs/proofs.md says what is checked.
"""
import argparse, base64, hashlib, json, os, re, subprocess, sys, tempfile

# Signatures: Ed25519 (RFC 8032) on the curve -x² + y² = 1 + D x² y², modulo P. L is the order of the point BASE.
P, L = 2**255 - 19, 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P


def add(p, q):
    (x, y), (u, v) = p, q
    t = D * x * y * u * v % P
    inverse = pow(1 - t * t, -1, P)
    return (x * v + y * u) * (1 - t) * inverse % P, (y * v + x * u) * (1 + t) * inverse % P


def multiply(s, p):
    q = (0, 1)
    for bit in bin(s)[2:]:
        q = add(q, q)
        q = add(q, p) if bit == '1' else q
    return q


def decode_point(data):
    y = int.from_bytes(data, 'little')
    sign, y = y >> 255, y & ((1 << 255) - 1)
    x2 = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(x2, (P + 3) // 8, P)
    x = x if x * x % P == x2 else x * pow(2, (P - 1) // 4, P) % P
    if y >= P or x * x % P != x2 or (x == 0 and sign):
        return None
    return (P - x if x & 1 != sign else x), y


BASE = decode_point((4 * pow(5, -1, P) % P).to_bytes(32, 'little'))


def is_signed(signed, text, keys):
    """Whether one of the keys signed the text. `signed` names a key, and has the signature."""
    if signed['key'] not in keys or not signed['signature']:
        return False
    key, signature = bytes.fromhex(signed['key']), base64.b64decode(signed['signature'])
    a, r, s = decode_point(key), decode_point(signature[:32]), int.from_bytes(signature[32:], 'little')
    if len(key) != 32 or len(signature) != 64 or a is None or r is None or s >= L:
        return False
    h = int.from_bytes(hashlib.sha512(signature[:32] + key + text.encode()).digest(), 'little') % L
    return multiply(s, BASE) == add(r, multiply(h, a))


def canonical(value):
    return json.dumps(value, sort_keys=True, separators=(',', ':'), ensure_ascii=False)


def read_object(pairs):
    """Ids become arguments of git, and git would take --output for an option. So only hashes are accepted as ids."""
    ids = ('commit', 'tree', 'head', 'belowHead', 'base', 'firstParent', 'managedFrom', 'tip')
    for name, value in pairs:
        if name in ids and value is not None and not re.fullmatch('[0-9a-f]{40}([0-9a-f]{24})?', str(value)):
            sys.exit(f'The file has {value!r} in place of a commit.')
    return dict(pairs)


class Clone:
    """Reads the objects of a clone, and merges its commits in the folder `scratch`, which becomes a repository. The
    service merges without the attributes and the configuration of a clone, and so does a bare repository."""

    options = ('-c', 'user.name=verify', '-c', 'user.email=verify', '-c', f'core.attributesFile={os.devnull}')

    def __init__(self, path, scratch):
        settings = {'GIT_CONFIG_NOSYSTEM': '1', 'GIT_CONFIG_GLOBAL': os.devnull, 'GIT_NO_REPLACE_OBJECTS': '1',
                    'GIT_ATTR_NOSYSTEM': '1'}
        self.path, self.env = path, {**os.environ, **settings}
        objects = self.git('rev-parse', '--path-format=absolute', '--git-path', 'objects')
        shallow = self.git('rev-parse', '--path-format=absolute', '--git-path', 'shallow')
        self.refs = dict(reversed(row.split()) for row in self.git('show-ref', may_fail=True).splitlines())
        format = self.git('rev-parse', '--show-object-format')
        promisors = self.git('config', '--get-regexp', r'^remote\..*\.promisor$', may_fail=True).splitlines()
        remotes = [row.split()[0][len('remote.'):-len('.promisor')] for row in promisors]
        urls = {name: self.git('remote', 'get-url', name) for name in remotes}
        self.git('init', '--quiet', '--bare', '--template=', f'--object-format={format}', scratch)
        self.path = scratch
        # A partial clone lacks objects, which git fetches when it needs them.
        for name, url in urls.items():
            self.git('config', f'remote.{name}.url', url)
            self.git('config', f'remote.{name}.promisor', 'true')
        # The path is quoted, because git splits the value at colons.
        quoted = json.dumps(objects, ensure_ascii=False)
        self.env.update(GIT_ALTERNATE_OBJECT_DIRECTORIES=quoted, GIT_SHALLOW_FILE=shallow)

    def git(self, *args, data=None, may_fail=False):
        command = ['git', '-C', self.path, *self.options, *args]
        result = subprocess.run(command, input=data, env=self.env, capture_output=True)
        if result.returncode != 0 and not may_fail:
            reason = (result.stderr + result.stdout).decode(errors='replace')
            raise LookupError(f'git {args[0]}: {" ".join(reason.split())}')
        return result.stdout.decode(errors='replace').strip()

    def tree(self, commit):
        """Returns the tree of a commit, or an empty text if the clone does not have the commit."""
        return self.git('rev-parse', '--verify', '--quiet', f'{commit}^{{commit}}^{{tree}}', may_fail=True)

    def make_commit(self, tree, *parents):
        return self.git('commit-tree', tree, *[word for parent in parents for word in ('-p', parent)], data=b'verify')

    def merge(self, ours, theirs):
        return self.git('merge-tree', '--write-tree', '--name-only', ours, theirs)

    def rebase(self, tip, head, below):
        """Repeats on the tip what each commit of the head changes that neither the tip nor `below` contains."""
        commits = self.git('rev-list', '--first-parent', '--reverse', head, f'^{tip}', f'^{below or tip}')
        for commit in commits.split():
            # With the tree of the tip on the parent of the commit, git merges only what the commit changes.
            before = self.tree(tip)
            tree = self.merge(self.make_commit(before, f'{commit}^'), commit)
            tip = tip if tree == before else self.make_commit(tree, tip)
        return tip

    def compose(self, parent, members, default_strategy):
        """Merges the members onto the parent, one after the other, and returns the tree."""
        tip = joined = parent
        for member in members:
            head, below, strategy = member['head'], member.get('belowHead'), member.get('strategy', default_strategy)
            if strategy == 'rebase':
                joined = self.rebase(tip, head, below)
            else:
                if below and self.git('rev-list', '--max-count=1', joined, f'^{head}'):
                    # With `below` as a second parent, git merges only what the head changes after `below`.
                    joined = self.make_commit(self.tree(joined), joined, below)
                tree = self.merge(joined, head)
                joined = self.make_commit(tree, tip, *([head] if strategy == 'merge' else []))
            tip = tip if member.get('joinsNext') else joined
        return self.tree(joined)


def is_green(checks, gate):
    newest = {}
    for check in sorted(checks, key=lambda check: check['attempt'], reverse=True):
        if not check['name'].startswith('interlock/'):
            newest.setdefault(check['name'], check['conclusion'])
    for required in gate or [{'name': '*', 'acceptableStatuses': ['success', 'skipped', 'neutral']}]:
        glob = '.*'.join(map(re.escape, required['name'].split('*')))
        found = {newest[name] for name in newest if re.fullmatch(glob, name, re.DOTALL)} or {'missing'}
        if not found <= set(required['acceptableStatuses']) or (found == {'missing'} and required.get('isAwaited')):
            return False
    return newest != {}


def covers(part, landed, member):
    """Whether a part has the member and, in the same order, each earlier change that overlaps it, and nothing else."""
    name = lambda change: (change['number'], change['head'])
    own, tested, order = name(member), [name(change) for change in part], [name(change) for change in landed]
    if own not in tested or not set(tested) <= set(order) or member.get('targets') is None:
        return False
    apart = {name(change) for change in landed
             if change.get('targets') is not None and not set(change['targets']) & set(member['targets'])}
    return set(tested[:tested.index(own)]) - apart == set(order[:order.index(own)]) - apart


# Each function `check_…` yields pairs: whether something is wrong, and a sentence about it.
def check_statement(exported, line, keys):
    statement, digests = exported['statement'], [proof['digest'] for proof in exported['proofs']]
    is_accepted = is_signed(exported, f'interlock branch 1\n{canonical(statement)}\n', keys)
    yield not is_accepted, 'The statement about the branch is not signed by an accepted key'
    newest = digests[-1] if digests else None
    yield (statement['proofs'], statement['last']) != (len(digests), newest), 'The newest proofs are missing'
    tip, start = statement['tip'], statement['managedFrom']
    is_cut = tip is not None and tip not in line
    yield is_cut, f'The branch does not lead from {start} to {tip}, its tip when the file was written'


def check_chain(proof, previous, numbers, keys):
    body, digest = proof['body'], proof['digest']
    yield hashlib.sha256(canonical(body).encode()).hexdigest() != digest, 'its proof was changed after it was written'
    yield not is_signed(proof, f'interlock proof 1\n{digest}\n', keys), 'its proof is not signed by an accepted key'
    yield body['previous'] != previous, 'its proof does not follow the proof before it'
    yield body['commit'] != proof['commit'], f'its proof is about {body["commit"]}'
    for member in body['members']:
        yield member['number'] in numbers, f'#{member["number"]} landed twice'


def check_landing(clone, line, body, landed):
    commit, parent, grade = body['commit'], body['firstParent'], body['grade']
    at, tree = line[commit]
    distance = at - line[parent][0] if parent in line else 0
    yield distance < 1 or (distance > 1 and body['batchCommit'] != 'linear'), f'its first parent is not {parent}'
    yield tree != body['tree'], f'its tree is {tree}, but its proof says {body["tree"]}'
    merged = clone.compose(parent, body['members'], body['strategy'])
    yield merged != tree, f'merging its heads again gives the tree {merged}'
    if grade == 'unvalidated':
        yield body['exceptionBy'] is None, 'it was not tested, and its proof does not say who or what skipped the tests'
        return
    for build in body['evidence']:
        tested, wanted = build['commit'], build['tree'] if 'base' in build else tree
        has_tree = clone.tree(tested) == build['tree'] == wanted
        yield not has_tree, f'the tested commit {tested} has another tree or is missing'
        yield not is_green(build['checks'], body['gate']), f'the tested commit {tested} is not green'
        yield grade == 'exact' and tested != commit, f'it is graded exact, but {tested} was tested'
    for gate in body.get('finalGates', []):
        is_elsewhere = gate['commit'] != commit and grade != 'host_merged'
        yield is_elsewhere, f'the final gate {gate["workflow"]} ran on {gate["commit"]}'
    are_parts = any('base' in build for build in body['evidence'])
    is_graded_wrong = are_parts != (grade == 'composed') and grade != 'host_merged'
    yield is_graded_wrong, f'it is graded {grade}, but its {"parts were" if are_parts else "whole tree was"} tested'
    yield not body['evidence'], 'its proof has no evidence'
    if are_parts:
        yield from check_parts(clone, line, body, landed)


def check_parts(clone, line, body, landed):
    usable = []
    for part in [build for build in body['evidence'] if 'base' in build]:
        base, content = part['base'], part['content']
        merged = clone.compose(base, content, body['strategy'])
        yield merged != part['tree'], f'merging the heads of its part {part["commit"]} again gives the tree {merged}'
        yield base not in line, f'its part {part["commit"]} was built on {base}, which was never the tip'
        since, at = body['members'], body['firstParent']
        while at != base and at in landed:
            since, at = landed[at]['members'] + since, landed[at]['firstParent']
        if at == base:  # Otherwise it is not known which changes came after the base.
            usable.append((content, since))
    covered = all(any(covers(content, since, member) for content, since in usable) for member in body['members'])
    yield not covered, 'its parts were not tested with all changes that affect it'


def failures_of(checks):
    failures = []
    try:
        for is_wrong, sentence in checks:
            if is_wrong:
                failures.append(sentence)
    except LookupError as error:
        failures.append(f'it cannot be derived again: {error}')
    return failures


def read_line(clone, statement):
    """Returns {commit: (position, tree)} of the first-parent line, from the commit at which the queue began to manage
    the branch to the tip that the statement names, and how many commits of the clone are after this tip."""
    name, start, tip = statement['baseBranch'], statement['managedFrom'], statement['tip']
    remote, local = f'refs/remotes/origin/{name}', f'refs/heads/{name}'
    options = ('--first-parent', '--reverse', '--no-commit-header', '--format=%H %T')
    tip_of_clone = clone.refs.get(remote) or clone.refs.get(local, '')
    line, later = {start: (0, None)}, 0
    for row in clone.git('rev-list', *options, tip_of_clone, f'^{start}', '--', may_fail=True).splitlines():
        if tip is None or tip in line:
            later += 1
        else:
            commit, tree = row.split()
            line[commit] = (len(line), tree)
    return line, later


def verify_branch(clone, exported, keys):
    """Returns a sentence about the branch, and one for everything that is wrong."""
    (line, later), proofs = read_line(clone, exported['statement']), exported['proofs']
    failures, landed, numbers, previous = failures_of(check_statement(exported, line, keys)), {}, set(), None
    for proof in proofs:
        body = proof['body']
        found = failures_of(check_chain(proof, previous, numbers, keys))
        if proof['commit'] not in line:
            found.append('it landed, but is not on the first-parent line of the branch')
        found = found or failures_of(check_landing(clone, line, body, landed))
        failures += [f'{proof["commit"]}: {failure}' for failure in found]
        if not found:
            landed[body['commit']] = body
        previous = proof['digest']
        numbers.update(member['number'] for member in body['members'])
    proven = sum(line[body['commit']][0] - line[body['firstParent']][0] for body in landed.values())
    pushed = len(line) - 1 - proven
    count = f'{len(line) - 1} commits, {len(proofs)} proofs, {pushed} commits that were pushed past the queue'
    unread = f', and {later} later commits that the file does not know' if later else ''
    return f'{exported["statement"]["baseBranch"]}: {count}{unread}', failures


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('file', help='the exported proofs')
    parser.add_argument('clone', help='the folder of the clone')
    parser.add_argument('--key', action='append', help='a public key that you got from the service; may be repeated')
    options = parser.parse_args()
    with open(options.file, encoding='utf-8') as file:
        exported, failed = json.load(file, object_pairs_hook=read_object), 0
    if exported['format'] != 'interlock proofs 1':
        sys.exit(f'{options.file} has a format that this script does not know: {exported["format"]}')
    if not exported['branches']:
        sys.exit(f'{options.file} has no branch, so there is nothing to derive.')
    keys = options.key or exported['keys']
    advice = '' if options.key else ' (from the file: compare them with the service, or name a key by --key)'
    print(f'Accepted keys: {", ".join(keys)}{advice}')
    with tempfile.TemporaryDirectory() as scratch:
        clone = Clone(options.clone, scratch)
        for pack in exported['packs']:
            clone.git('index-pack', '--stdin', '--fix-thin', data=base64.b64decode(pack))
        for branch in exported['branches']:
            said, failures = verify_branch(clone, branch, keys)
            failed += len(failures)
            print('\n  '.join([said, *failures]))
    print('Every landing was derived again.' if failed == 0 else f'Failures: {failed}.')
    return 0 if failed == 0 else 1


if __name__ == '__main__':
    sys.exit(main())
