// The program through which a sandbox starts a command. It joins a new session keyring, loads the filter of system
// calls, and executes the command. util-linux can do neither before version 2.41. Therefore this file writes the
// program, instruction by instruction: an ELF file of 1 KB without libraries. The filter is the larger part of it (ADR
// 0029).
import { writeFile } from 'node:fs/promises';
import type { RunFolders } from './port.ts';
import { besideRoot } from './run-folders.ts';
import { systemCallFilter } from './system-calls.ts';

/** The path of the program inside the sandbox. */
export const insideConfine = '/opt/interlock/confine';

// Constants of the kernel.
const joinSessionKeyring = 1;
const noNewPrivileges = 38;
const loadFilter = 1;
/** The exit code by which shells say that a command was found but could not be run. */
const notRun = 126;

interface Machine {
  /** EM_… of ELF. */
  readonly number: number;
  /** `programAt`: the address of `struct sock_fprog` in memory. */
  code(programAt: number): Buffer;
}

/** System calls of x86-64: the number is in eax, the arguments are in rdi, rsi, rdx, r10, r8. */
const x64: Machine = {
  number: 62,
  code: (programAt) =>
    Buffer.concat([
      // keyctl(KEYCTL_JOIN_SESSION_KEYRING, NULL)
      ...[hex('b8'), word(250), hex('bf'), word(joinSessionKeyring), hex('31f6 0f05')],
      // prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
      ...[hex('b8'), word(157), hex('bf'), word(noNewPrivileges), hex('be'), word(1)],
      hex('31d2 4531d2 4531c0 0f05'),
      // seccomp(SECCOMP_SET_MODE_FILTER, 0, program)
      ...[hex('b8'), word(317), hex('bf'), word(loadFilter), hex('31f6 ba'), word(programAt), hex('0f05')],
      // If that failed, skip the next 26 bytes.
      hex('85c0 751a'),
      // execve(argv[1], &argv[1], envp): argc in rbx, and envp lies behind the null that ends argv.
      hex('488b1c24 488b7c2410 488d742410 488d54dc10'),
      ...[hex('b8'), word(59), hex('0f05')],
      // exit_group(126)
      ...[hex('b8'), word(231), hex('bf'), word(notRun), hex('0f05')],
    ]),
};

/** System calls of arm64: the number is in x8, the arguments are in x0, x1, and so on. */
const arm64: Machine = {
  number: 183,
  code: (programAt) =>
    Buffer.concat(
      [
        // keyctl(KEYCTL_JOIN_SESSION_KEYRING, NULL)
        ...[set(8, 219), set(0, joinSessionKeyring), set(1, 0), callKernel],
        // prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
        ...[set(8, 167), set(0, noNewPrivileges), set(1, 1), set(2, 0), set(3, 0), set(4, 0), callKernel],
        // seccomp(SECCOMP_SET_MODE_FILTER, 0, program)
        ...[set(8, 277), set(0, loadFilter), set(1, 0), set(2, programAt & 0xffff), setUpper(2, programAt >>> 16)],
        // cbnz x0: if that failed, go to the eighth instruction from here.
        ...[callKernel, 0xb5000000 | (8 << 5)],
        // execve(argv[1], &argv[1], envp): argc in x9, and envp lies behind the null that ends argv.
        // ldr x9, [sp]; ldr x0, [sp, 16]; add x1, sp, 16; add x2, sp, 16; add x2, x2, x9, lsl 3
        ...[0xf94003e9, 0xf9400be0, 0x910043e1, 0x910043e2, 0x8b090c42, set(8, 221), callKernel],
        // exit_group(126)
        ...[set(8, 94), set(0, notRun), callKernel],
      ].map(word),
    ),
};

/**
 * Writes the program into a file, which the sandbox copies to `insideConfine`. Null: there is no program for this
 * architecture.
 */
export async function writeConfiningProgram(folders: RunFolders): Promise<string | null> {
  const program = confiningProgram(process.arch);
  if (program === null) return null;
  const path = besideRoot(folders, 'confine');
  await writeFile(path, program);
  return path;
}

const machines: Readonly<Partial<Record<NodeJS.Architecture, Machine>>> = { x64, arm64 };

/** The size of the largest memory page that any of these machines uses. */
const alignment = 0x10000;
const loadedAt = 0x400000;
const headerBytes = 64;
const segmentBytes = 56;
const codeAt = headerBytes + 2 * segmentBytes;
const fprogBytes = 16;

/**
 * Returns a complete ELF file. If the keyring cannot be joined, the command runs nevertheless: a container that refuses
 * `keyctl` here refuses it to the command too. If the filter cannot be loaded, the command is not run. Null: the system
 * calls of this architecture are unknown.
 */
export function confiningProgram(architecture: NodeJS.Architecture): Buffer | null {
  const machine = machines[architecture];
  const filter = systemCallFilter(architecture);
  if (machine === undefined || filter === null) return null;
  const programAt = align(codeAt + machine.code(0).length, 8);
  const code = Buffer.alloc(programAt - codeAt);
  machine.code(loadedAt + programAt).copy(code);
  const fprog = Buffer.alloc(fprogBytes);
  fprog.writeUInt16LE(filter.length / 8, 0);
  fprog.writeBigUInt64LE(BigInt(loadedAt + programAt + fprogBytes), 8);
  const content = Buffer.concat([code, fprog, filter]);
  const readable = 4;
  const writable = 2;
  const executable = 1;
  return Buffer.concat([
    header(machine.number),
    segment({ type: 1, flags: readable | executable, bytes: codeAt + content.length, at: loadedAt, alignment }),
    // PT_GNU_STACK. Without this segment, old kernels make all memory of the program executable.
    segment({ type: 0x6474e551, flags: readable | writable, bytes: 0, at: 0, alignment: 16 }),
    content,
  ]);
}

/** `Elf64_Ehdr` of a program with two segments and no sections. */
function header(machine: number): Buffer {
  const bytes = Buffer.alloc(headerBytes);
  hex('7f454c46 020101').copy(bytes);
  bytes.writeUInt16LE(2, 16);
  bytes.writeUInt16LE(machine, 18);
  bytes.writeUInt32LE(1, 20);
  bytes.writeBigUInt64LE(BigInt(loadedAt + codeAt), 24);
  bytes.writeBigUInt64LE(BigInt(headerBytes), 32);
  bytes.writeUInt16LE(headerBytes, 52);
  bytes.writeUInt16LE(segmentBytes, 54);
  bytes.writeUInt16LE(2, 56);
  return bytes;
}

/** `Elf64_Phdr` of a segment that starts at the beginning of the file. */
function segment(of: { type: number; flags: number; bytes: number; at: number; alignment: number }): Buffer {
  const bytes = Buffer.alloc(segmentBytes);
  bytes.writeUInt32LE(of.type, 0);
  bytes.writeUInt32LE(of.flags, 4);
  for (const offset of [16, 24]) bytes.writeBigUInt64LE(BigInt(of.at), offset);
  for (const offset of [32, 40]) bytes.writeBigUInt64LE(BigInt(of.bytes), offset);
  bytes.writeBigUInt64LE(BigInt(of.alignment), 48);
  return bytes;
}

function hex(text: string): Buffer {
  return Buffer.from(text.replaceAll(' ', ''), 'hex');
}

function word(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value >>> 0);
  return bytes;
}

function align(value: number, to: number): number {
  return Math.ceil(value / to) * to;
}

/** movz and movk of arm64: the lower and the upper sixteen bits of a register. */
function set(register: number, value: number): number {
  return 0xd2800000 | (value << 5) | register;
}

function setUpper(register: number, value: number): number {
  return 0xf2a00000 | (value << 5) | register;
}

const callKernel = 0xd4000001;
