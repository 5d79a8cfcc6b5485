// Faults that tests must find. Each fault replaces a text that its file has once. Faults for which another rule makes
// up are left out: a landing that is planned on a moved base is reset first, a tombstone is refused where a landing ref
// exists, a delivery is unique for its event, and the host closes a pull request whose branch is deleted. A fault
// without `tests` is there for the simulation of faults (docs/fault-simulation.md). `hidden`: why the simulation cannot
// show the fault.
const histories = ['test/domain/queue/histories.test.ts'];
const gateCases = ['test/domain/queue/gate.test.ts'];
const evidenceCases = ['test/domain/queue/evidence.test.ts'];
const gate = 'src/domain/queue/landing/gate.ts';
const landing = 'src/domain/queue/linear/landing.ts';
const resets = 'src/domain/queue/linear/resets.ts';
const evidence = 'src/domain/queue/evidence/evidence.ts';

/** @type {readonly { what: string, file: string, from: string, to: string, tests: readonly string[], hidden?: string }[]} */
export const mutants = [
  {
    what: 'a landing does not stop at a pause',
    file: gate,
    from: "if (queue.paused) return 'paused';",
    to: '',
    tests: gateCases,
  },
  {
    what: 'a batch lands on another tip than the one it was built on',
    file: gate,
    from: "if (!isOnTip(batch, queue.tip)) return 'base moved';",
    to: '',
    tests: gateCases,
    hidden: 'The host moves the base only from the commit that the batch was built on.',
  },
  {
    what: 'a batch lands after its landing was given up',
    file: gate,
    from: '!batch.isBuilding || batch.givenUp ||',
    to: '',
    tests: gateCases,
    hidden: 'The landing of a batch that has ended is void, and the planner plans none for a batch that was given up.',
  },
  {
    what: 'a pull request lands that left the line',
    file: gate,
    from: "if (current === null) return 'a member left';",
    to: 'if (current === null) continue;',
    tests: gateCases,
  },
  {
    what: 'a head lands although a newer one was pushed',
    file: gate,
    from: "if (current.head !== pinned) return 'a head moved';",
    to: '',
    tests: gateCases,
  },
  {
    what: 'a pull request lands whose own check is red',
    file: gate,
    from: "return pullRequest.ownVerdict === 'red' && !pullRequest.skipValidation;",
    to: 'return false;',
    tests: gateCases,
  },
  {
    what: 'a batch lands without evidence',
    file: gate,
    from: 'if (!isClaimed && !facts.isComposed) return',
    to: 'if (evidence === undefined) return',
    tests: gateCases,
  },
  {
    what: 'a batch lands under other rules than it was built by',
    file: gate,
    from: "return batch.buildKeysHash === rules.buildKeysHash ? null : 'configuration changed';",
    to: 'return null;',
    tests: gateCases,
  },
  {
    what: 'a pull request lands before an earlier one that it overlaps',
    file: gate,
    from: 'if (passed !== undefined) return ordered[passed] ?? null;',
    to: '',
    tests: gateCases,
  },
  {
    what: 'a canceled build is evidence',
    file: evidence,
    from: "return others.length === 0 ? 'green' : 'none';",
    to: "return 'green';",
    tests: evidenceCases,
  },
  {
    what: 'a build on a base that was never the tip is evidence',
    file: evidence,
    from: '!lineage.has(build.base) ||',
    to: '',
    tests: evidenceCases,
    hidden: 'A build is evidence for its own tree alone, and CI in the simulation judges trees.',
  },
  {
    what: 'a pending check counts as passed',
    file: evidence,
    from: 'checks.filter(({ conclusion }) => !accepted.includes(conclusion));',
    to: "checks.filter(({ conclusion }) => !accepted.includes(conclusion) && conclusion !== 'pending');",
    tests: evidenceCases,
  },
  {
    what: 'a second landing is planned while one has started',
    file: landing,
    from: 'if (view.batches.some((batch) => batch.landingStarted || batch.landingPlanned)) return null;',
    to: '',
    tests: histories,
    hidden: 'A batch has one intent to land, which is planned again only after it was voided or has failed.',
  },
  {
    what: 'a batch lands before an earlier batch',
    file: resets,
    from: 'if (expected === undefined || expected.id === member.pullRequest) continue;',
    to: 'if (expected !== null) continue;',
    tests: histories,
  },
  {
    what: 'a batch is kept although its parent did not land',
    file: resets,
    from: 'if (batch === undefined || batch.parentCommit === expected.parent) return null;',
    to: 'if (batch !== null) return null;',
    tests: histories,
  },
  {
    what: 'more builds start than the configuration allows',
    file: 'src/domain/queue/planning/capacity.ts',
    from: 'return freeBuilds(view, countRunning(view, [...view.batches, ...view.sideBuilds], held)) > 0;',
    to: 'return held >= 0;',
    tests: histories,
  },
  {
    what: 'parts that affect one another are composed',
    file: 'src/domain/queue/evidence/composed-evidence.ts',
    from: 'if (orderIndex !== at && !isInOrder && overlap(own.targets, change.targets)) return false;',
    to: '',
    tests: ['test/domain/queue/composed-evidence.test.ts'],
  },
  {
    what: 'a ref moves although it is not at the expected commit',
    file: 'src/hosts/git/refs.ts',
    from: 'update ${name}\\0${to}\\0${from}\\0',
    to: 'update ${name}\\0${to}\\0\\0',
    tests: ['test/hosts/refs.test.ts'],
  },
  {
    what: 'a landing leaves no landing ref',
    file: 'src/modules/queue/landing/landing.move.ts',
    from: '{ ref: landingRef(batch.id), from: null, to: batch.commit ?? null },',
    to: '',
    tests: ['test/queue/landing.test.ts'],
  },
  {
    what: 'two workers have one lease',
    file: 'src/platform/turns/lease.ts',
    from: '${wanted} and (supervised_until is null or supervised_until <= $6)',
    to: '${wanted} and ($6::timestamptz is not null)',
    tests: ['test/workflows/turns.test.ts'],
    hidden: 'Leases of deployments are not simulated.',
  },
  {
    what: 'the outbox skips an event',
    file: 'src/modules/webhooks/outbox.ts',
    from: 'where e.account_id = $1 and e.position > $2 order by e.position',
    to: 'where e.account_id = $1 and e.position > $2 + 1 order by e.position',
    tests: ['test/webhooks/delivery.test.ts'],
  },
  {
    what: 'events get positions in reverse order',
    file: 'src/modules/events/sequencer.ts',
    from: 'row_number() over (partition by account_id order by id) as ordinal',
    to: 'row_number() over (partition by account_id order by id desc) as ordinal',
    tests: ['test/events/sequencer.test.ts'],
  },
  {
    what: 'two processes give positions at once',
    file: 'src/modules/events/sequencer.ts',
    from: 'select 1 from installation for no key update skip locked',
    to: 'select 1 from installation',
    tests: ['test/events/sequencer.test.ts'],
    hidden: 'Transactions do not overlap.',
  },
  {
    what: 'a landing does not stop at a freeze',
    file: gate,
    from: "if (queue.frozen) return 'frozen';",
    to: '',
    tests: gateCases,
  },
  {
    what: 'a landing that began is not continued after its process died',
    file: 'src/modules/queue/landing/landing.ts',
    from: "if (intent.state === 'started') {",
    to: "if (intent.state === 'started' && intent.attempt > 99) {",
    tests: [],
  },
  {
    what: 'a merged pull request stays open at the host',
    file: 'src/modules/queue/landing/landing.record.ts',
    from: 'await planConclusions(work, ids, commit);',
    to: '',
    tests: [],
  },
  {
    what: 'a pull request that was closed during its landing stays closed',
    file: 'src/modules/queue/landing/landing.record.ts',
    from: "if (row.status === 'closed') writeStatus(work, row, 'reopen');",
    to: "if (row.status === 'closed') return;",
    tests: [],
  },
  {
    what: 'the branch of an ended build stays',
    file: 'src/modules/queue/builds/batch.clean-up.ts',
    from: 'await Promise.all([deleteBranch(ctx, host, branch), deleteFence(ctx, loaded)]);',
    to: 'await deleteFence(ctx, loaded);',
    tests: [],
  },
  {
    what: 'a change does not raise the version of its queue',
    file: 'src/modules/queue/store/queue.locks.ts',
    from: 'queue.version += 1;',
    to: '',
    tests: [],
  },
  {
    what: 'the relay does not see a queue whose wake was lost',
    file: 'src/modules/queue/effects/relay.ts',
    from: 'const stale = behind.filter((queue) => seen.get(queue.id) === queue.planned_version);',
    to: 'const stale = behind.slice(0, 0);',
    tests: [],
  },
  {
    what: 'a pull request that left the line is counted in the depth',
    file: 'src/modules/queue/store/status.writer.ts',
    from: "if (status === 'queued') queue.waiting += by;",
    to: "if (status === 'queued' && by > 0) queue.waiting += by;",
    tests: [],
  },
  {
    what: 'a pull request is passed again and again',
    file: 'src/domain/queue/speculation/reorder.ts',
    from: '(graph.line[index]?.timesPassed ?? 0) >= maxTimesPassed',
    to: '(graph.line[index]?.timesPassed ?? 0) >= maxTimesPassed + 9',
    tests: ['test/domain/queue/speculation.test.ts'],
  },
  {
    what: 'a push whose hint was lost is not found',
    file: 'src/hosts/local/reconcile.ts',
    from: 'if (tip !== row.head_sha) changes.set(',
    to: 'if (tip === null) changes.set(',
    tests: [],
  },
  {
    what: 'a hint of a process that died is never handled',
    file: 'src/modules/queue/store/host-hints.ts',
    from: 'where d.due_at <= $2 and (d.leased_until is null or d.leased_until <= $2) and d.id in (',
    to: 'where d.due_at <= $2 and d.leased_until is null and d.id in (',
    tests: [],
  },
  {
    what: 'a check of a runner that died is never run again',
    file: 'src/hosts/local/check-run-leases.rows.ts',
    from: 'lease_until < now() or lease_owner = any($1::text[])',
    to: "lease_until < now() or lease_owner = any($1::text[]) and state = ''",
    tests: [],
  },
  {
    what: 'a check whose claim was not answered is never run',
    file: 'src/hosts/local/check-run-leases.rows.ts',
    from: 'or (lease_owner = $2 and id <> all($3::bigint[]))',
    to: "or (lease_owner = $2 and id <> all($3::bigint[]) and state = '')",
    tests: [],
  },
  {
    what: 'a delivery of a process that died is never sent',
    file: 'src/modules/webhooks/deliveries.rows.ts',
    from: "d.state = 'pending' and (d.leased_until is null or d.leased_until <= $3)",
    to: "d.state = 'pending' and (d.leased_until is null and $3::timestamptz is not null)",
    tests: [],
  },
  {
    what: 'a delivery counts as sent although the receiver did not answer',
    file: 'src/modules/webhooks/sender.ts',
    from: '{ status: answer.status, retryAfter',
    to: '{ status: answer.status ?? 200, retryAfter',
    tests: [],
  },
  {
    what: 'the outbox makes no delivery of an event that stands alone',
    file: 'src/modules/webhooks/outbox.ts',
    from: 'if (deliveries.length > 0) await writeDeliveries(',
    to: 'if (deliveries.length > 1) await writeDeliveries(',
    tests: [],
  },
  {
    what: 'a member skips the line',
    file: 'src/modules/queue/admission/enqueue.ts',
    from: 'if (request.skipLine) {',
    to: 'if (request.skipLine === null) {',
    tests: [],
  },
];

/** A plugin of Vite that plants the fault with this index in the loaded code. */
export function planting(index) {
  const mutant = mutants[index];
  if (mutant === undefined) throw new Error(`There is no mutant ${index}.`);
  return {
    name: 'planting',
    enforce: 'pre',
    transform(code, id) {
      if (!id.split('?')[0].endsWith(`/${mutant.file}`)) return null;
      if (code.split(mutant.from).length !== 2)
        throw new Error(`${mutant.file} does not contain this text exactly once: ${mutant.from}`);
      return { code: code.replace(mutant.from, () => mutant.to), map: null };
    },
  };
}
