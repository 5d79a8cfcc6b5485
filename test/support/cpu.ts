/**
 * The CPU of this process since `before`, in milliseconds. Unlike elapsed time, it does not depend on other processes.
 */
export function cpuMsSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
