// Ways out of a sandbox. Each probe is a shell script that exits with 0 if it got out. Outside of a sandbox it does.
// The variables of a probe name what the test has prepared on the machine. `FIRST` is the first process that a command
// sees, and outside a process of the service.

export interface Escape {
  /** Completes the sentence "A command cannot …". */
  readonly what: string;
  readonly probe: string;
  /** Outside, only root can do it. */
  readonly asRoot?: true;
  /** What the service would have to do first, for example to leave a descriptor open. */
  readonly control?: string;
}

/** The numbers of system calls, on the architectures that have a filter. */
const calls =
  process.arch === 'x64'
    ? {
        ...{ ptrace: 101, add_key: 248, request_key: 249, keyctl: 250, perf_event_open: 298, kcmp: 312, bpf: 321 },
        ...{ process_vm_readv: 310, userfaultfd: 323, name_to_handle_at: 303, open_by_handle_at: 304 },
        ...{ io_uring_setup: 425, pidfd_getfd: 438 },
      }
    : {
        ...{ ptrace: 117, add_key: 217, request_key: 218, keyctl: 219, perf_event_open: 241, kcmp: 272, bpf: 280 },
        ...{ process_vm_readv: 270, userfaultfd: 282, name_to_handle_at: 264, open_by_handle_at: 265 },
        ...{ io_uring_setup: 425, pidfd_getfd: 438 },
      };

/** Exits with 0 if the kernel carries out the system call, or refuses only its harmless arguments. */
function reaches(call: keyof typeof calls, args: string): string {
  return `perl -e 'exit(syscall(${calls[call]}, ${args}) >= 0 || !($!{EPERM} || $!{ENOSYS}) ? 0 : 1)'`;
}

/** Attaches to another process of the same user. */
const attach = `sleep 20 & perl -e 'exit(syscall(${calls.ptrace}, 16, $ARGV[0] + 0, 0, 0) == 0 ? 0 : 1)' $!; code=$?; kill -9 $!; exit $code`;

/** Opens a folder by its number in the file system, past all mounts. Exits with 3 if it has no number. */
const openByHandle = `perl -MFcntl -e '
  my ($path, $handle, $mount) = ("/", pack("Ii", 128, 0) . ("\\0" x 128), pack("i", 0));
  syscall(${calls.name_to_handle_at}, -100, $path, $handle, $mount, 0) == 0 or exit 3;
  sysopen(my $root, $path, O_RDONLY) or exit 3;
  exit(syscall(${calls.open_by_handle_at}, fileno($root), $handle, 0) >= 0 ? 0 : 1)'`;

const files: readonly Escape[] = [
  { what: 'read a file of the machine by its path', probe: 'cat "$SECRET"' },
  { what: 'read a file above its checkout', probe: 'cat "../../../../../../../../$SECRET"' },
  { what: 'read a file of the machine through a symlink in its checkout', probe: 'cat link-to-file' },
  { what: 'list a folder of the machine through a symlink in its checkout', probe: 'ls link-to-folder/' },
  { what: 'write a file of the machine through a symlink in its checkout', probe: 'echo planted >> link-to-target' },
  {
    what: 'read a file through the root folder of its first process',
    probe: 'cat "/proc/$FIRST/root$SECRET"',
    asRoot: true,
  },
  { what: 'read a file through the root folder of the service', probe: 'cat "/proc/$SIBLING/root$SECRET"' },
  { what: 'read a file through the working folder of the service', probe: 'cat "/proc/$SIBLING/cwd$SECRET"' },
  {
    what: 'read a file through a folder that the service left open',
    probe: 'for at in /proc/self/fd/*; do cat "$at$SECRET" && exit 0; done; exit 1',
    control: 'exec 9< /',
  },
  { what: 'open a folder by its number in the file system', probe: openByHandle, asRoot: true },
  { what: 'read the passwords of the machine', probe: 'cat /etc/shadow', asRoot: true },
  { what: 'read the home of root', probe: 'ls -A /root', asRoot: true },
  { what: 'read shared memory of the machine', probe: 'cat "/dev/shm/$SHARED"' },
  { what: 'write into the programs of the machine', probe: 'test -w /usr/bin', asRoot: true },
  { what: 'write into the settings of the machine', probe: 'test -w /etc', asRoot: true },
  { what: 'write into the settings of the kernel', probe: 'test -w /proc/sys/kernel/core_pattern', asRoot: true },
  { what: 'write into the settings of the network', probe: 'test -w /proc/sys/net/ipv4/ip_forward', asRoot: true },
  { what: 'see the devices and modules of the kernel', probe: 'ls /sys/module/*' },
  { what: 'read the log of the kernel', probe: 'dmesg', asRoot: true },
  {
    what: 'see a disk, the memory or the log among its devices',
    probe: 'ls /dev | grep -Ex "mem|kmsg|[sv]d[a-z]|nvme0n1"',
  },
];

const processes: readonly Escape[] = [
  { what: 'see a process of the service', probe: 'test -d "/proc/$SIBLING"' },
  {
    what: 'see the command line of a process of the service',
    probe: 'cat /proc/[0-9]*/cmdline | tr "\\0" "\\n" > lines; grep -qx "$MARK" lines',
  },
  { what: 'read the environment of the service', probe: 'tr "\\0" "\\n" < "/proc/$SIBLING/environ" | grep -q sesame' },
  { what: 'send a signal to the service', probe: 'kill -0 "$SIBLING"' },
  { what: 'write to the program of its first process', probe: 'test -w "/proc/$FIRST/exe"', asRoot: true },
  { what: 'attach to another process of its user', probe: attach },
  { what: 'read the memory of a process by a system call', probe: reaches('process_vm_readv', '$$, 0, 0, 0, 0, 0') },
  { what: 'take a descriptor of another process', probe: reaches('pidfd_getfd', '-1, 0, 0') },
  { what: 'compare the kernel objects of processes', probe: reaches('kcmp', '$$, $$, 0, 0, 0') },
  {
    what: 'see shared memory segments of the machine',
    probe: `perl -e 'exit(defined shmget($ENV{SEGMENT}, 0, 0) ? 0 : 1)'`,
  },
  { what: 'give itself a higher priority', probe: 'renice -n -1 $$', asRoot: true },
];

const privileges: readonly Escape[] = [
  { what: 'be root', probe: 'test "$(id -u)" = 0', asRoot: true },
  {
    what: 'have a capability',
    probe: 'grep CapEff: /proc/self/status | grep -q "[1-9a-f]0*$"',
    asRoot: true,
  },
  { what: 'get a capability later', probe: 'grep CapBnd: /proc/self/status | grep -q "[1-9a-f]0*$"' },
  { what: 'get the rights of a setuid program', probe: 'grep -Eq "NoNewPrivs:\\s*0" /proc/self/status' },
  { what: 'make a setuid program of root', probe: 'cp /bin/true own && chown 0:0 own && chmod u+s own', asRoot: true },
  { what: 'make a device', probe: 'mknod "device-$$" c 1 3', asRoot: true },
  {
    what: 'mount a file system',
    probe: 'mkdir mounted && mount -t tmpfs none mounted && umount mounted',
    asRoot: true,
  },
  { what: 'make a bind mount', probe: 'mkdir bound && mount --bind / bound && umount bound', asRoot: true },
  { what: 'change its root folder', probe: 'chroot / true', asRoot: true },
  { what: 'make a user namespace', probe: 'unshare --user true' },
  { what: 'make a mount namespace', probe: 'unshare --mount true', asRoot: true },
  { what: 'make a user and a mount namespace at once', probe: 'unshare --user --map-root-user --mount true' },
  {
    what: 'enter the namespaces of the service',
    probe: 'nsenter --target "$SIBLING" --mount cat "$SECRET"',
    asRoot: true,
  },
  {
    what: 'enter the namespaces of its first process',
    probe: 'nsenter --target "$FIRST" --mount --net true',
    asRoot: true,
  },
  { what: 'change the name of the machine', probe: 'hostname "$(hostname)"', asRoot: true },
];

const kernel: readonly Escape[] = [
  { what: 'use the session keyring', probe: reaches('keyctl', '0, -3, 1') },
  { what: 'request a key', probe: reaches('request_key', '0, 0, 0, 0') },
  { what: 'load a program into the kernel', probe: reaches('bpf', '0, 0, 0'), asRoot: true },
  { what: 'count events of the processor', probe: reaches('perf_event_open', '0, 0, 0, 0, 0') },
  { what: 'handle page faults', probe: reaches('userfaultfd', '0'), asRoot: true },
  { what: 'make a ring of requests to the kernel', probe: reaches('io_uring_setup', '1, 0') },
];

const connects = (kind: 'INET' | 'UNIX', to: string): string =>
  `perl -MIO::Socket::${kind} -e 'exit(IO::Socket::${kind}->new(${to}, Timeout => 5) ? 0 : 1)'`;

const network: readonly Escape[] = [
  { what: 'reach a server of the machine', probe: connects('INET', 'PeerAddr => "127.0.0.1", PeerPort => $ENV{PORT}') },
  { what: 'reach a socket of the machine by its path', probe: connects('UNIX', 'Peer => $ENV{SOCKET}') },
  { what: 'reach an abstract socket of the machine', probe: connects('UNIX', 'Peer => "\\0$ENV{ABSTRACT}"') },
  {
    what: 'read or forge packets',
    probe: `perl -MSocket -e 'exit(socket(my $raw, AF_INET, SOCK_RAW, 1) ? 0 : 1)'`,
    asRoot: true,
  },
];

export const escapes: readonly Escape[] = [...files, ...processes, ...privileges, ...kernel, ...network];
