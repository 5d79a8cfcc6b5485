// The tests of `test/queue` that run only on the local host, by file and name, and the reasons. `HOST=github` skips
// them.
const itsOwnHost = 'It replaces methods of the local host, or calls the local host directly.';
const itsOwnRows = 'It inserts a pull request into the rows of the local host.';
const itsRuns = 'Another service runs the checks of the local host.';
const allAtOnce = 'It needs the verdicts of all builds at once, but the emulator runs only two jobs at a time.';
const itsOwnChecks = 'At GitHub a world requires all of its checks by name, also on heads.';

export const notAtGitHub: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'arrivals.building.test.ts': {
    'a changed gate key judges the same build again, without a reset': itsOwnChecks,
  },
  'backport.test.ts': {
    'cannot be approved by the authors of the original pull request': itsOwnHost,
    'that fails again and again is given up with a message, and can be requested again': itsOwnHost,
    'that finds no code host for an hour is given up with a message, and can be requested again': itsOwnHost,
  },
  'failures.test.ts': {
    'is passed by the green build on top of it, and both pull requests land as one commit': allAtOnce,
    'is not passed if the failure depth is one: its pull request is blocked, and the others land without it': allAtOnce,
  },
  'merging.test.ts': {
    'that was given up while it hung halts the queue if the host carries it out later and cannot refuse it': itsOwnHost,
    'lands at once and untested if its preconditions hold, and the proof names the setting': itsOwnChecks,
    'lands without a bot pull request, and the event says so; the pull request behind it gets a bot pull request':
      "GitHub's report of a head is complete a moment after its checks are green: the landing may not count as instant.",
  },
  'notifications.test.ts': {
    'are not counted: neither among the checks of the head, nor if all checks must pass': itsOwnHost,
    'a turn plans at most 40 notifications, and the next turns plan the rest':
      'Its pull requests are rows that GitHub does not have.',
  },
  'stacks.test.ts': {
    'has a part that was opened before the landing below it and is first read afterwards: its base is changed':
      itsOwnRows,
    'has a part on top of one that was opened before the landing below it and is first read afterwards': itsOwnRows,
  },
  'sync.test.ts': {
    'that is asked for again is tried at once, although the host had asked to wait': itsOwnHost,
    'finds changes that no event reported':
      'The review is written without a report of the host. GitHub reports every review.',
  },
  'recovery.test.ts': {
    'halts its queues, still admits pull requests, and after the recovery knows what landed since the backup, and goes on':
      itsRuns,
    'tells from git alone which pull requests landed by squash, and which only look like it': itsRuns,
    'tells from git alone which pull requests landed by merge, and which only look like it': itsRuns,
    'tells from git alone which pull requests landed by rebase, and which only look like it': itsRuns,
    'concludes a landing itself, if the backup was made after the gate of the landing': itsRuns,
  },
};
