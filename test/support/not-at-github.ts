// The tests of `test/queue` that run only on the local host, by file and name, and the reasons. `HOST=github` skips
// them.
const itsOwnHost = 'It replaces methods of the local host, or calls the local host directly.';
const itsRuns = 'Another service runs the checks of the local host.';
const allAtOnce = 'It needs the verdicts of all builds at once, but the emulator runs only two jobs at a time.';
const itsOwnChecks = 'At GitHub a world requires all of its checks by name, also on heads.';

export const notAtGitHub: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'arrivals.building.test.ts': {
    'a gate key of the configuration judges the same build again': itsOwnChecks,
  },
  'backport.test.ts': {
    'is approved by none of those whose change it is': itsOwnHost,
    'that fails again and again is given up with a message, and can be requested again': itsOwnHost,
    'that finds no host for an hour is given up with a message, and can be requested again': itsOwnHost,
  },
  'failures.test.ts': {
    'is passed by the green one on it: both land as one commit': allAtOnce,
    'is not passed where the failure depth is one: the first is blamed, the others land without it': allAtOnce,
  },
  'merging.test.ts': {
    'given up while it hangs, at a host that cannot refuse it, is seen when it goes through after all': itsOwnHost,
    'lands at once and untested, when the preconditions hold, and the proof says by which setting': itsOwnChecks,
    'lands without a bot pull request, and the event says so; what is behind it does not':
      "GitHub's report of a head is complete a moment after its checks are green: the landing may not count as instant.",
  },
  'notifications.test.ts': {
    'count nowhere: neither among the checks of the head, nor where every check that ran must pass': itsOwnHost,
    'a turn plans a bounded number, and the next ones the rest':
      'Its pull requests are rows that GitHub does not have.',
  },
  'sync.test.ts': {
    'finds what no event reported': 'The review is written without a report of the host. GitHub reports every review.',
  },
  'recovery.test.ts': {
    'halts, still admits, takes over what landed since, and goes on': itsRuns,
    'tells by plain git what landed by squash, and what only looks like it': itsRuns,
    'tells by plain git what landed by merge, and what only looks like it': itsRuns,
    'tells by plain git what landed by rebase, and what only looks like it': itsRuns,
    'lets the queue itself conclude the landing that the backup caught past its gate': itsRuns,
  },
};
