// The seccomp filter: a program that the kernel runs at each system call of a command. It refuses calls that could
// reach other commands through the kernel (keys, memory of other processes, performance counters), and calls that
// expose more of the kernel than a build needs. `syslog` is refused because some kernels let every user read their log
// by it, and the log names processes and addresses of the machine.

/** The kernel's names of the refused system calls. */
const refusedCalls = [
  'ptrace',
  'add_key',
  'request_key',
  'keyctl',
  'perf_event_open',
  'setns',
  'process_vm_readv',
  'process_vm_writev',
  'kcmp',
  'bpf',
  'userfaultfd',
  'io_uring_setup',
  'pidfd_getfd',
  'syslog',
] as const;

interface CallingConvention {
  /** AUDIT_ARCH_… of the kernel. */
  readonly architecture: number;
  readonly refused: Readonly<Record<(typeof refusedCalls)[number], number>>;
  /** The numbers of `clone` and `unshare`. The first argument of both says which namespaces are created. */
  readonly clone: number;
  readonly unshare: number;
}

// These calls are so new that they have the same number on all architectures.
const common = { io_uring_setup: 425, pidfd_getfd: 438 };
const clone3 = 435;

const x64: CallingConvention = {
  architecture: 0xc000003e,
  refused: {
    ...{ ptrace: 101, add_key: 248, request_key: 249, keyctl: 250, perf_event_open: 298, setns: 308 },
    ...{ process_vm_readv: 310, process_vm_writev: 311, kcmp: 312, bpf: 321, userfaultfd: 323, syslog: 103, ...common },
  },
  clone: 56,
  unshare: 272,
};
const ia32: CallingConvention = {
  architecture: 0x40000003,
  refused: {
    ...{ ptrace: 26, add_key: 286, request_key: 287, keyctl: 288, perf_event_open: 336, setns: 346 },
    ...{ process_vm_readv: 347, process_vm_writev: 348, kcmp: 349, bpf: 357, userfaultfd: 374, syslog: 103, ...common },
  },
  clone: 120,
  unshare: 310,
};
const arm64: CallingConvention = {
  architecture: 0xc00000b7,
  refused: {
    ...{ ptrace: 117, add_key: 217, request_key: 218, keyctl: 219, perf_event_open: 241, setns: 268 },
    ...{ process_vm_readv: 270, process_vm_writev: 271, kcmp: 272, bpf: 280, userfaultfd: 282, syslog: 116, ...common },
  },
  clone: 220,
  unshare: 97,
};
const arm: CallingConvention = {
  architecture: 0x40000028,
  refused: {
    ...{ ptrace: 26, add_key: 309, request_key: 310, keyctl: 311, perf_event_open: 364, setns: 375 },
    ...{ process_vm_readv: 376, process_vm_writev: 377, kcmp: 378, bpf: 386, userfaultfd: 388, syslog: 103, ...common },
  },
  clone: 120,
  unshare: 337,
};

/** For each architecture, the calling convention of 64-bit programs and that of 32-bit programs. */
const conventions: Readonly<Partial<Record<NodeJS.Architecture, readonly CallingConvention[]>>> = {
  x64: [x64, ia32],
  arm64: [arm64, arm],
};

const newUserNamespace = 0x10000000;
/** System calls of the x32 convention, which shares the number of its architecture with x64. */
const firstOfX32 = 0x40000000;
const notPermitted = 1;
const notImplemented = 38;

/** Null: the numbers of this architecture's system calls are unknown. */
export function systemCallFilter(architecture: NodeJS.Architecture): Buffer | null {
  const known = conventions[architecture];
  if (known === undefined) return null;
  const blocks = known.map((convention) => {
    const block = filterOf(convention);
    return [ifEqual(convention.architecture, block.length), ...block];
  });
  return Buffer.concat([load(offsets.architecture), ...blocks.flat(), refuse(notImplemented)]);
}

function filterOf({ architecture, refused, clone, unshare }: CallingConvention): Buffer[] {
  return [
    load(offsets.number),
    ...(architecture === x64.architecture ? [ifAtLeast(firstOfX32, 1), refuse(notImplemented)] : []),
    ...refusedCalls.flatMap((name) => [ifEqual(refused[name], 1), refuse(notPermitted)]),
    // The flags of clone3 are in memory, which a filter cannot read. If clone3 is not implemented, libraries use clone.
    ...[ifEqual(clone3, 1), refuse(notImplemented)],
    ...[clone, unshare].flatMap((number) => [
      ...[ifEqual(number, 4), load(offsets.firstArgument), ifHas(newUserNamespace, 1), refuse(notPermitted), allow()],
    ]),
    allow(),
  ];
}

/**
 * Offsets in `struct seccomp_data`. That of the argument is the offset of its lower half, because both architectures
 * are little-endian.
 */
const offsets = { number: 0, architecture: 4, firstArgument: 16 };

/** One `struct sock_filter`. */
function instruction(code: number, value: number, otherwiseSkip = 0): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt16LE(code, 0);
  bytes.writeUInt8(otherwiseSkip, 3);
  bytes.writeUInt32LE(value, 4);
  return bytes;
}

const load = (offset: number): Buffer => instruction(0x20, offset);
const ifEqual = (value: number, otherwiseSkip: number): Buffer => instruction(0x15, value, otherwiseSkip);
const ifAtLeast = (value: number, otherwiseSkip: number): Buffer => instruction(0x35, value, otherwiseSkip);
const ifHas = (bits: number, otherwiseSkip: number): Buffer => instruction(0x45, bits, otherwiseSkip);
const refuse = (error: number): Buffer => instruction(0x06, 0x00050000 + error);
const allow = (): Buffer => instruction(0x06, 0x7fff0000);
